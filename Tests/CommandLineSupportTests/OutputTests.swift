import Testing

@testable import CommandLineSupport

@Suite struct OutputTests {
  @Test func writesDecimals() {
    #expect(1.005.text(places: 1) == "1.0")
    #expect(0.06.text(places: 1) == "0.1")
    #expect((-0.04).text(places: 1) == "0.0")
    #expect((-12.34).text(places: 2) == "-12.34")
    #expect(9.999.text(places: 2) == "10.00")
    #expect(7.0.text(places: 0) == "7")
    #expect(Double.infinity.text(places: 1) == "-")
    #expect(1e300.text(places: 9) == "-")
  }

  @Test func drawsBars() {
    #expect(LevelBar.text(0, width: 6) == "######")
    #expect(LevelBar.text(-30, width: 6) == "###---")
    #expect(LevelBar.text(-30, peak: -10, width: 6) == "###-|-")
    #expect(LevelBar.text(-60, width: 6) == "------")
    for odd in [Double.infinity, -.infinity, .nan, 1e300, -1e300] {
      #expect(LevelBar.text(odd, peak: odd, width: 6).count == 6)
      #expect(LevelBar.text(odd, width: -1).count == 1)
    }
    #expect(LevelBar.decibelText(-.infinity, width: 8) == "  silent")
    #expect(LevelBar.decibelText(-23.44) == "-23.4 dB")
  }
}

internal import Glibc

/// Levels as people see them.
package enum LevelBar {
  /// The least level that is shown, in decibels.
  package static let floor = -60.0

  /// A bar that is full at 0 dB and empty at -60 dB.
  ///
  /// - Parameters:
  ///   - decibels: Of the bar's end.
  ///   - peak: Where the mark for the peak stands; nil for none.
  ///   - width: Of the bar, in columns.
  /// - Returns: Text of that width.
  package static func text(_ decibels: Double, peak: Double? = nil, width: Int = 40) -> String {
    let width = max(width, 1)
    func column(_ decibels: Double) -> Int {
      guard decibels > floor else { return 0 }
      return Int((min((decibels - floor) / -floor, 1) * Double(width)).rounded())
    }
    var cells = [Character](repeating: "-", count: width)
    for index in 0..<column(decibels) { cells[index] = "#" }
    if let peak, column(peak) > 0 { cells[column(peak) - 1] = "|" }
    return String(cells)
  }

  /// `-23.4 dB`, or `silent`.
  ///
  /// - Parameters:
  ///   - decibels: The level.
  ///   - width: The least width, in columns, filled with spaces on the left.
  /// - Returns: The text.
  package static func decibelText(_ decibels: Double, width: Int = 0) -> String {
    let text = decibels > -120 ? "\(decibels.text(places: 1)) dB" : "silent"
    return String(repeating: " ", count: max(0, width - text.count)) + text
  }
}

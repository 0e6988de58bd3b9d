internal import Glibc

extension Double {
  /// Without needless digits: `5`, `2.5`.
  package var shortText: String {
    rounded() == self && abs(self) < 1e15 ? String(Int(self)) : String(self)
  }

  /// With a fixed number of decimals: `2.50`. What is not finite is `-`.
  ///
  /// - Parameter places: Decimals, 0 … 9.
  /// - Returns: The text.
  package func text(places: Int) -> String {
    guard isFinite, abs(self) < 1e9 else { return "-" }
    let places = min(max(places, 0), 9)
    let scale = pow(10, Double(places))
    let scaled = Int64((abs(self) * scale).rounded())
    let (whole, fraction) = scaled.quotientAndRemainder(dividingBy: Int64(scale))
    let digits = String(fraction)
    let sign = self < 0 && scaled != 0 ? "-" : ""
    guard places > 0 else { return sign + String(whole) }
    return "\(sign)\(whole).\(String(repeating: "0", count: places - digits.count))\(digits)"
  }

  /// Rounded to a number of decimals.
  package func rounded(toPlaces places: Int) -> Double {
    let scale = pow(10, Double(places))
    return (self * scale).rounded() / scale
  }
}

extension Duration {
  /// In seconds.
  package var seconds: Double { self / .seconds(1) }

  /// In milliseconds, as people read it: `12.3 ms`.
  package var millisecondsText: String { "\((seconds * 1000).text(places: 1)) ms" }
}

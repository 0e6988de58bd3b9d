internal import Glibc

/// The factor of an amplitude for a gain in decibels, clamped to -60 … +20 dB; what is no number counts as 0 dB.
func decibelFactor(_ decibels: Double) -> Float {
  guard !decibels.isNaN, decibels != 0 else { return 1 }
  return Float(pow(10, min(max(decibels, -60), 20) / 20))
}

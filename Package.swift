// swift-tools-version: 6.2
import PackageDescription

/// The same for every Swift target of the package.
let swiftSettings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]
let cSettings: [CSetting] = [.treatAllWarnings(as: .error)]

// What stands on a C library that a build can do without.
let alsa: Target.Dependency = .target(name: "CALSA", condition: .when(traits: ["ALSA"]))
let pulse: Target.Dependency = .target(name: "CPulse", condition: .when(traits: ["PulseAudio"]))
let mpg123: Target.Dependency = .target(name: "CMPG123", condition: .when(traits: ["MP3"]))
let systemd: Target.Dependency = .target(name: "CSystemd", condition: .when(traits: ["CallServices"]))
let samplerate: Target.Dependency = .target(name: "CSampleRate", condition: .when(traits: ["RateCorrection"]))

let package = Package(
  name: "AudioDeviceKit",
  products: [
    .library(name: "AudioDeviceKit", targets: ["AudioDeviceKit"]),
    .library(name: "CallServices", targets: ["CallServices"]),
    .library(name: "AudioDeviceCore", targets: ["AudioDeviceCore"]),
    .library(name: "RateCorrection", targets: ["RateCorrection"]),
    .library(name: "VirtualBackend", targets: ["VirtualBackend"]),
    .library(name: "SoundDecoding", targets: ["SoundDecoding"]),
    .library(name: "WaveFile", targets: ["WaveFile"]),
    .library(name: "Sounds", targets: ["Sounds"]),
    .executable(name: "audio-device", targets: ["audio-device"]),
    .executable(name: "ringtone-example", targets: ["RingtoneExample"]),
    .executable(name: "custom-device-example", targets: ["CustomDeviceExample"]),
    // For the tests alone: the fake sound device, which alsa-lib loads by this name and so has to be a shared object.
    .library(name: "asound_module_pcm_rig", type: .dynamic, targets: ["CRigPCM"]),
  ],
  traits: [
    .trait(name: "PulseAudio", description: "The PulseAudio backend, also served by PipeWire (libpulse-dev)."),
    .trait(name: "ALSA", description: "The ALSA backend (libasound2-dev)."),
    .trait(name: "MP3", description: "MP3 decoding for ringtones (libmpg123-dev)."),
    .trait(name: "RateCorrection", description: "Follows clock drift without a gap or a click (libsamplerate0-dev)."),
    .trait(name: "CallServices", description: "The desktop's calling services over D-Bus (libsystemd-dev)."),
    .default(enabledTraits: ["PulseAudio", "ALSA", "MP3", "RateCorrection", "CallServices"]),
  ],
  targets: [
    // C: the system's libraries, and the only C of our own.
    .systemLibrary(name: "CALSA", providers: [.apt(["libasound2-dev"])]),
    .systemLibrary(name: "CPulse", providers: [.apt(["libpulse-dev"])]),
    .systemLibrary(name: "CMPG123", providers: [.apt(["libmpg123-dev"])]),
    .systemLibrary(name: "CSampleRate", providers: [.apt(["libsamplerate0-dev"])]),
    .systemLibrary(name: "CSystemd", providers: [.apt(["libsystemd-dev"])]),
    .target(name: "CAudioSupport", cSettings: cSettings),

    // The layers, lowest first.
    .target(name: "RealtimeSupport", dependencies: ["CAudioSupport"], swiftSettings: swiftSettings),
    .target(name: "AudioDeviceCore", dependencies: ["RealtimeSupport"], swiftSettings: swiftSettings),
    .target(name: "RateCorrection", dependencies: ["AudioDeviceCore", samplerate], swiftSettings: swiftSettings),
    .target(name: "WaveFile", dependencies: ["AudioDeviceCore"], swiftSettings: swiftSettings),
    .target(name: "SoundDecoding", dependencies: ["AudioDeviceCore", mpg123], swiftSettings: swiftSettings),
    .target(
      name: "PulseBackend", dependencies: ["AudioDeviceCore", "RealtimeSupport", pulse], swiftSettings: swiftSettings),
    .target(
      name: "ALSABackend", dependencies: ["AudioDeviceCore", "CAudioSupport", "RealtimeSupport", alsa],
      swiftSettings: swiftSettings),
    .target(
      name: "VirtualBackend", dependencies: ["AudioDeviceCore", "RealtimeSupport", "WaveFile"],
      swiftSettings: swiftSettings),
    .target(
      name: "AudioDeviceKit",
      dependencies: [
        "AudioDeviceCore", "RealtimeSupport", "VirtualBackend",
        .target(name: "PulseBackend", condition: .when(traits: ["PulseAudio"])),
        .target(name: "ALSABackend", condition: .when(traits: ["ALSA"])),
        .target(name: "SoundDecoding", condition: .when(traits: ["MP3"])),
        .target(name: "RateCorrection", condition: .when(traits: ["RateCorrection"])),
      ],
      swiftSettings: swiftSettings),

    // What a desktop has to do with a call; above the audio, for those who want it.
    .target(
      name: "CallServices", dependencies: ["AudioDeviceKit", "RealtimeSupport", systemd], swiftSettings: swiftSettings),

    // Sounds to ring with; resources, so only for those who want them.
    .target(
      name: "Sounds", dependencies: ["AudioDeviceCore"], path: "Sounds", exclude: ["make-sounds"],
      resources: [.copy("marimba.mp3"), .copy("classic.mp3"), .copy("ringback.mp3")], swiftSettings: swiftSettings),

    // The command and the examples, and what they share.
    .target(
      name: "CommandLineSupport", dependencies: ["AudioDeviceKit", "RealtimeSupport", "VirtualBackend"],
      swiftSettings: swiftSettings),
    .executableTarget(
      name: "audio-device",
      dependencies: [
        "AudioDeviceKit", "CommandLineSupport", "RealtimeSupport", "WaveFile",
        .target(name: "SoundDecoding", condition: .when(traits: ["MP3"])),
      ], swiftSettings: swiftSettings),
    .executableTarget(
      name: "RingtoneExample", dependencies: ["AudioDeviceKit", "CommandLineSupport", "Sounds", "VirtualBackend"],
      path: "Examples/Ringtone", swiftSettings: swiftSettings),
    .executableTarget(
      name: "CustomDeviceExample", dependencies: ["AudioDeviceKit", "CommandLineSupport", "WaveFile"],
      path: "Examples/CustomDevice", swiftSettings: swiftSettings),

    // The benchmark's client; what else belongs to the benchmark is built and run by Tests/Benchmarks/run.
    .target(name: "CMeasurement", path: "Tests/Benchmarks/CMeasurement", cSettings: cSettings),
    .executableTarget(
      name: "BenchmarkClient", dependencies: ["AudioDeviceKit", "CMeasurement", "RealtimeSupport"],
      path: "Tests/Benchmarks/BenchmarkClient", swiftSettings: swiftSettings),

    // Tests: the rig (private sound servers, fake devices, signal tools), then one folder per module.
    .target(name: "CRigProcess", path: "Tests/CRigProcess", cSettings: cSettings),
    .target(name: "CHeapCounter", path: "Tests/CHeapCounter", cSettings: cSettings),
    .target(name: "CRigControl", path: "Tests/CRigControl", cSettings: cSettings),
    .target(
      name: "CRigPCM", dependencies: ["CRigControl"], path: "Tests/CRigPCM",
      cSettings: cSettings + [.define("RIG_ALSA", .when(traits: ["ALSA"])), .define("PIC")],
      linkerSettings: [.linkedLibrary("asound", .when(traits: ["ALSA"]))]),
    .target(
      name: "AudioTestSupport",
      dependencies: ["AudioDeviceCore", "CHeapCounter", "CRigControl", "CRigProcess", "RealtimeSupport", pulse],
      path: "Tests/AudioTestSupport", swiftSettings: swiftSettings),
    .testTarget(
      name: "AudioTestSupportTests", dependencies: ["AudioDeviceCore", "AudioTestSupport", alsa],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "KernelLaneTests", dependencies: ["AudioTestSupport", "RealtimeSupport", alsa],
      swiftSettings: swiftSettings),
    .testTarget(name: "RealtimeSupportTests", dependencies: ["RealtimeSupport"], swiftSettings: swiftSettings),
    .testTarget(
      name: "SoundDecodingTests", dependencies: ["AudioTestSupport", "SoundDecoding"], swiftSettings: swiftSettings),
    .testTarget(
      name: "SoundsTests", dependencies: ["AudioTestSupport", "SoundDecoding", "Sounds"], swiftSettings: swiftSettings),
    .testTarget(name: "AudioDeviceCoreTests", dependencies: ["AudioDeviceCore"], swiftSettings: swiftSettings),
    .testTarget(
      name: "RateCorrectionTests",
      dependencies: ["AudioDeviceCore", "AudioDeviceKit", "AudioTestSupport", "RateCorrection", "VirtualBackend"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "WaveFileTests", dependencies: ["AudioDeviceCore", "AudioTestSupport", "WaveFile"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "PulseBackendTests",
      dependencies: ["AudioDeviceCore", "AudioTestSupport", "PulseBackend", "RealtimeSupport", pulse],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "ALSABackendTests", dependencies: ["ALSABackend", "AudioDeviceCore", "AudioTestSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "VirtualBackendTests",
      dependencies: ["AudioDeviceCore", "AudioTestSupport", "RealtimeSupport", "VirtualBackend", "WaveFile"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "AudioDeviceKitTests",
      dependencies: [
        "AudioDeviceKit", "AudioTestSupport", "PulseBackend", "RealtimeSupport", "SoundDecoding", "VirtualBackend",
      ],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "CallServicesTests",
      dependencies: ["AudioDeviceKit", "AudioTestSupport", "CallServices", "PulseBackend", "RealtimeSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "FaultTests", dependencies: ["AudioDeviceKit", "AudioTestSupport", "PulseBackend", "RealtimeSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "CommandLineSupportTests", dependencies: ["AudioDeviceCore", "AudioTestSupport", "CommandLineSupport"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "CommandTests",
      dependencies: [
        "AudioDeviceCore", "AudioDeviceKit", "AudioTestSupport", "CustomDeviceExample", "WaveFile", "audio-device",
      ], swiftSettings: swiftSettings),
  ]
)

import Foundation

/// What a sound server has at one moment, as `pactl --format=json list` tells it.
public struct ServerSnapshot: Sendable {
  /// Devices that play.
  public let sinks: [Device]
  /// Devices that record, monitors included.
  public let sources: [Device]
  /// Streams that play.
  public let sinkInputs: [Stream]
  /// Streams that record.
  public let sourceOutputs: [Stream]
  /// Connections, that of the asking `pactl` included.
  public let clients: [Client]

  /// A sink or a source.
  public struct Device: Sendable {
    /// Its number at the server.
    public let index: Int
    /// Its name, such as `spk` or `spk.monitor`.
    public let name: String
    /// What people see.
    public let description: String
    /// `RUNNING`, `IDLE` or `SUSPENDED`.
    public let state: String
    /// Whether it is muted.
    public let isMuted: Bool
    /// Its format.
    public let sampleSpecification: SampleSpecification
    /// The server's properties.
    public let properties: [String: String]
  }

  /// A sink input or a source output.
  public struct Stream: Sendable {
    /// Its number at the server.
    public let index: Int
    /// The number of its client; nil for the server's own streams.
    public let client: Int?
    /// The name of the sink or source that it is on.
    public let deviceName: String?
    /// Whether it is paused.
    public let isCorked: Bool
    /// Whether it is muted.
    public let isMuted: Bool
    /// The volume of each channel in percent.
    public let volumePercent: [String: Int]
    /// Its format.
    public let sampleSpecification: SampleSpecification
    /// How long samples stay in the server's buffer; 0 under PipeWire.
    public let bufferLatency: Duration
    /// How long samples stay in the device; 0 under PipeWire.
    public let deviceLatency: Duration
    /// The client's and the stream's properties.
    public let properties: [String: String]

    /// The process that it belongs to.
    public var processID: Int32? { properties["application.process.id"].flatMap { Int32($0) } }
    /// The application that it belongs to.
    public var applicationName: String? { properties["application.name"] }
    /// Its own name.
    public var mediaName: String? { properties["media.name"] }
    /// What it is for, such as `phone`.
    public var mediaRole: String? { properties["media.role"] }
  }

  /// A connection.
  public struct Client: Sendable {
    /// Its number at the server.
    public let index: Int
    /// Its properties.
    public let properties: [String: String]

    /// The process at the other end.
    public var processID: Int32? { properties["application.process.id"].flatMap { Int32($0) } }
    /// The application at the other end.
    public var applicationName: String? { properties["application.name"] }
  }

  /// A format as servers write it: `s16le 2ch 48000Hz`.
  public struct SampleSpecification: Sendable, Hashable, CustomStringConvertible {
    /// Such as `s16le` or `float32le`.
    public let sampleFormat: String
    /// Samples per frame.
    public let channelCount: Int
    /// Frames per second.
    public let sampleRate: Int

    init(_ text: String) throws {
      let parts = text.split(separator: " ")
      guard parts.count == 3, parts[1].hasSuffix("ch"), let channels = Int(parts[1].dropLast(2)),
        parts[2].hasSuffix("Hz"), let rate = Int(parts[2].dropLast(2))
      else { throw RigError("Not a sample specification: \(text)") }
      sampleFormat = String(parts[0])
      channelCount = channels
      sampleRate = rate
    }

    /// `s16le 2ch 48000Hz`.
    public var description: String { "\(sampleFormat) \(channelCount)ch \(sampleRate)Hz" }
  }
}

extension ServerSnapshot {
  /// Reads what `pactl --format=json list` wrote.
  ///
  /// - Parameter json: All of its output.
  /// - Throws: ``RigError`` when it is not what was expected.
  init(json: String) throws {
    let raw: Raw
    do {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      raw = try decoder.decode(Raw.self, from: Data(json.utf8))
    } catch {
      throw RigError("Cannot read the server's list: \(error)\n\(json)")
    }
    let sinkNames = Dictionary(raw.sinks.map { ($0.index, $0.name) }) { first, _ in first }
    let sourceNames = Dictionary(raw.sources.map { ($0.index, $0.name) }) { first, _ in first }
    sinks = try raw.sinks.map { try Device($0) }
    sources = try raw.sources.map { try Device($0) }
    sinkInputs = try raw.sinkInputs.map { raw in
      try Stream(raw, deviceName: raw.sink.flatMap { sinkNames[$0] })
    }
    sourceOutputs = try raw.sourceOutputs.map { raw in
      try Stream(raw, deviceName: raw.source.flatMap { sourceNames[$0] })
    }
    clients = raw.clients.map { Client(index: $0.index, properties: $0.properties) }
  }

  fileprivate struct Raw: Decodable {
    let sinks: [RawDevice]
    let sources: [RawDevice]
    let sinkInputs: [RawStream]
    let sourceOutputs: [RawStream]
    let clients: [RawClient]
  }

  fileprivate struct RawDevice: Decodable {
    let index: Int
    let name: String
    let description: String
    let state: String
    let mute: Bool
    let sampleSpecification: String
    let properties: [String: String]
  }

  fileprivate struct RawStream: Decodable {
    let index: Int
    let client: String?
    let sink: Int?
    let source: Int?
    let corked: Bool
    let mute: Bool
    let volume: [String: RawVolume]?
    let sampleSpecification: String
    let bufferLatencyUsec: Double?
    let sinkLatencyUsec: Double?
    let sourceLatencyUsec: Double?
    let properties: [String: String]
  }

  fileprivate struct RawVolume: Decodable {
    let valuePercent: String
  }

  fileprivate struct RawClient: Decodable {
    let index: Int
    let properties: [String: String]
  }
}

extension ServerSnapshot.Device {
  fileprivate init(_ raw: ServerSnapshot.RawDevice) throws {
    index = raw.index
    name = raw.name
    description = raw.description
    state = raw.state
    isMuted = raw.mute
    sampleSpecification = try .init(raw.sampleSpecification)
    properties = raw.properties
  }
}

extension ServerSnapshot.Stream {
  fileprivate init(_ raw: ServerSnapshot.RawStream, deviceName: String?) throws {
    index = raw.index
    client = raw.client.flatMap { Int($0) }
    self.deviceName = deviceName
    isCorked = raw.corked
    isMuted = raw.mute
    volumePercent = (raw.volume ?? [:]).compactMapValues { Int($0.valuePercent.filter(\.isNumber)) }
    sampleSpecification = try .init(raw.sampleSpecification)
    bufferLatency = .microseconds(raw.bufferLatencyUsec ?? 0)
    deviceLatency = .microseconds(raw.sinkLatencyUsec ?? raw.sourceLatencyUsec ?? 0)
    properties = raw.properties
  }
}

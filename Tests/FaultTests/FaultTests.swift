import Testing

/// All that break servers and devices run one after the other: they measure times.
@Suite(.serialized, .timeLimit(.minutes(5))) enum FaultTests {}

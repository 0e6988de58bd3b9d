"""A client's log, read while the client writes it. The layout is that of CMeasurement.h."""

import mmap
import os
import struct
from typing import NamedTuple, Optional

HEADER_BYTES = 64
RECORD = struct.Struct("<qqqii")
RECORDS = 200_000
NO_ESTIMATE = -(2**63)


class Period(NamedTuple):
    """One captured period; times in nanoseconds."""

    arrived: int
    round_trip: int
    estimate: int
    silent: int
    breaks: int

    @property
    def is_heard(self) -> bool:
        return self.round_trip > 0


class Log:
    def __init__(self, path: str):
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            self._memory = mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return struct.unpack_from("<q", self._memory)[0]

    def __getitem__(self, index: int) -> Period:
        return Period(*RECORD.unpack_from(self._memory, HEADER_BYTES + index % RECORDS * RECORD.size))

    def since(self, time: int) -> list[Period]:
        """The periods that arrived at a time or later."""
        periods = []
        for index in range(len(self) - 1, -1, -1):
            period = self[index]
            if period.arrived < time:
                break
            periods.append(period)
        return periods[::-1]

    def first_heard(self, since: int) -> Optional[Period]:
        """The first period with sound that arrived at a time or later."""
        return next((period for period in self.since(since) if period.is_heard), None)

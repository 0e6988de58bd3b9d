"""A private PulseAudio daemon: one null sink, whose monitor is the microphone."""

import os
import socket

from processes import Process, wait_until

SCRIPT = """.fail
load-module module-native-protocol-unix
load-module module-null-sink sink_name=bench rate=48000 channels=1 format=s16le norewinds=1
set-default-sink bench
set-default-source bench.monitor
"""


class Server:
    def __init__(self, folder: str):
        self.folder = folder
        os.makedirs(f"{folder}/home", mode=0o700)
        os.makedirs(f"{folder}/pulse", mode=0o700)
        self._write("server.pa", SCRIPT)
        self.socket = f"{folder}/pulse/native"
        self.environment = {
            "PATH": os.environ["PATH"],
            "LC_ALL": "C.UTF-8",
            "HOME": f"{folder}/home",
            "XDG_RUNTIME_DIR": folder,
            "PULSE_RUNTIME_PATH": f"{folder}/pulse",
        }
        self.client_environment = self.environment | {
            "PULSE_SERVER": f"unix:{self.socket}",
            "PULSE_SINK": "bench",
            "PULSE_SOURCE": "bench.monitor",
        }
        self.start()

    def _write(self, name: str, text: str):
        with open(f"{self.folder}/{name}", "w") as file:
            file.write(text)

    def start(self):
        # No pid file: one that a killed daemon left behind can keep the next from starting.
        self.process = Process(
            ["pulseaudio", "-n", "-F", f"{self.folder}/server.pa", "--daemonize=no", "--exit-idle-time=-1",
             "--use-pid-file=no", "--realtime=yes", "--high-priority=yes", "--log-target=stderr", "--log-level=error"],
            self.environment, f"{self.folder}/server.log")
        wait_until(self._answers, 10, "the sound server does not answer")

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.socket) == 0

    def kill(self):
        self.process.kill()

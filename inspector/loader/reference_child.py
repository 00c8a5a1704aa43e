"""The program of the child process that opens files with safetensors. Imports nothing of the package.

Standard input: one path a line, as JSON. Standard output: one line of JSON with the version of safetensors, then one
line for each path: {"refusal": words}, or {"tensors": {name: [dtype, shape]}}. argv[1]: the folder of safetensors.
"""

from __future__ import annotations

import json
import sys
from types import ModuleType
from typing import Any


def main() -> None:
    """Answers requests until the input ends."""
    sys.path.append(sys.argv[1])
    sys.modules["numpy"] = ModuleType("numpy")  # safe_open imports it for arrays; none are created here
    import safetensors

    _say(safetensors.__version__)
    for line in sys.stdin.buffer:
        _say(answer(json.loads(line), safetensors.safe_open))


def answer(path: str, safe_open: Any) -> dict[str, Any]:
    """The answer of safetensors for one file; only its header is read."""
    try:
        with safe_open(path, framework="np") as file:
            slices = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118 - it is not a dict
            return {"tensors": {name: [one.get_dtype(), one.get_shape()] for name, one in slices.items()}}
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of the reader is not an Exception
        return {"refusal": str(error) or type(error).__name__}


def _say(value: object) -> None:
    sys.stdout.buffer.write(json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n")
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()

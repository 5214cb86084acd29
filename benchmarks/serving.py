"""How much the server adds: inputs per second through HTTP beside the same rules in this process.

    python benchmarks/serving.py [RUN]       without RUN, the nine examples of the README are learned first

Prints one line per number of inputs in a request, as Markdown.
"""

import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ness import Transducer

NINE = {
    "walk": "WALK",
    "run": "RUN",
    "jump": "JUMP",
    "walk twice": "WALK WALK",
    "run twice": "RUN RUN",
    "walk and run": "WALK RUN",
    "run and walk": "RUN WALK",
    "walk twice and run": "WALK WALK RUN",
    "run and walk twice": "RUN WALK WALK",
}
AT_ONCE = 50
# A client of a few lines: a full one takes more time than the server.
HEAD = b"POST /v1/translate HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
REQUESTS = 1_000


def inputs_of(model: Transducer, count: int) -> list[str]:
    """Make inputs of 1 to 8 words from what the model knows."""
    rng = random.Random(0)
    words = sorted({word for frame in model.rules.table.reduce for word in frame} | {"and", "twice"})
    return [" ".join(rng.choices(words, k=rng.randint(1, 8))) for _ in range(count)]


def in_process(model: Transducer, inputs: list[str], size: int) -> float:
    """Return the seconds that the same calls take without a server, warmed up."""
    parts = [inputs[start : start + size] for start in range(0, len(inputs), size)]
    model.answers(inputs)
    started = time.perf_counter()
    for part in parts:
        model.answers(part)
    return time.perf_counter() - started


async def through_http(port: int, inputs: list[str], size: int) -> tuple[float, int]:
    """Return the seconds and the number of errors of requests with `size` inputs each, over `AT_ONCE` connections."""
    bodies = [json.dumps({"inputs": inputs[start : start + size]}).encode() for start in range(0, len(inputs), size)]
    failed = 0

    async def ask_all(mine: list[bytes]) -> None:
        nonlocal failed
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for body in mine:
            writer.write(HEAD % len(body) + body)
            head = await reader.readuntil(b"\r\n\r\n")
            await reader.readexactly(int(re.search(rb"content-length: (\d+)", head)[1]))  # type: ignore[index]
            failed += not head.startswith(b"HTTP/1.1 200")
        writer.close()
        await writer.wait_closed()

    shares = [bodies[start::AT_ONCE] for start in range(AT_ONCE)]
    await asyncio.gather(*(ask_all(share[:1]) for share in shares))  # everything is asked once before it counts
    started = time.perf_counter()
    await asyncio.gather(*map(ask_all, shares))
    return time.perf_counter() - started, failed


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder) / "nine"
        if len(sys.argv) == 1:
            Transducer(rules_only=True).fit(list(NINE), list(NINE.values())).save(run)
        model = Transducer.load(run, engine="rules")
        command = [sys.executable, "-m", "ness", "serve", str(run), "--port", "0", "--read-only"]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        found = re.search(r":(\d+)$", process.stdout.readline().strip())
        assert found, "the server did not start"
        print("| inputs a request | requests | errors | inputs/s by HTTP | inputs/s in process | ratio |")
        print("| --- | --- | --- | --- | --- | --- |")
        try:
            for size in (1, 10, 100):
                inputs = inputs_of(model, REQUESTS * size)
                seconds, failed = asyncio.run(through_http(int(found[1]), inputs, size))
                alone = in_process(model, inputs, size)
                rates = len(inputs) / seconds, len(inputs) / alone
                shown = f"{rates[0]:,.0f} | {rates[1]:,.0f} | {rates[0] / rates[1]:.3f}"
                print(f"| {size} | {REQUESTS:,} | {failed} | {shown} |", flush=True)
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()

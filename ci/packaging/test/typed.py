"""What users write, for mypy --strict."""

import asyncio

import mcp_assay
from mcp_assay import Event, Result, Verdict


def watch(event: Event) -> None:
    if event["event"] == "scenario":
        print(event["duration_ms"] + 1, event["scenario"].upper())


def run() -> bool:
    result: Result = mcp_assay.certify("node", ["server.js"], revisions=["2025-11-25"], on_event=watch)
    verdicts: list[Verdict] = [each for run in result.report["runs"] for each in run["verdicts"]]
    for verdict in verdicts:
        if verdict["outcome"] == "violated" and "evidence" in verdict:
            print(verdict["evidence"][0]["text"], result.failures[0]["runs"][0])
    return result.conformant


async def run_async() -> int:
    result = await mcp_assay.certify_async(url="http://127.0.0.1:3001/mcp", headers={"a": "b"})
    return result.exit_status


mcp_assay.certify(comand="node")  # type: ignore[call-arg]
asyncio.run(run_async())

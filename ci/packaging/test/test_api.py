"""The Python package, as ci/package-test installs it, beside the server of ci/packaging."""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path

import mcp_assay
import pytest
from mcp_assay import _program

pytest_plugins = ["pytester"]
SERVER = str(Path(__file__).parent / "server.js")
NODE = shutil.which("node")
FEW = {"revisions": "2025-11-25", "scenarios": "ping*"}


def test_a_conformant_server():
    result = mcp_assay.certify("node", [SERVER], **FEW)
    assert result.conformant and result.exit_status == 0, result.text
    assert result.report["target"]["name"] == "small"


def test_a_failure_has_the_rule_the_bytes_and_the_fix():
    result = mcp_assay.certify(["node", SERVER, "--bad-ping"], **FEW)
    assert not result.conformant
    (failure,) = result.failures
    assert failure["requirement"] == "ping.empty-result"
    assert failure["fix"] and '{"pong":true}' in failure["text"]


def test_events_come_one_by_one():
    seen = []
    mcp_assay.certify("node", [SERVER], on_event=seen.append, **FEW)
    assert [seen[0]["event"], seen[-1]["event"]] == ["started", "finished"]


def test_a_wrong_option_and_a_server_that_does_not_start():
    with pytest.raises(mcp_assay.AssayError, match="1999-01-01"):
        mcp_assay.certify("node", revisions="1999-01-01")
    with pytest.raises(mcp_assay.AssayError, match="No such file"):
        mcp_assay.certify("node", program="/no/such/program")
    with pytest.raises(mcp_assay.AssayError, match="^/no/such/folder: No such file"):
        mcp_assay.certify("node", cwd="/no/such/folder")
    # A text is one word, not a list of letters.
    assert mcp_assay.certify("node", SERVER, **FEW).conformant
    with pytest.raises(TypeError):
        mcp_assay.certify(comand="node")
    assert mcp_assay.certify("node", ["-e", "process.exit(7)"], **FEW).exit_status == 3


def test_async_runs_beside_other_work_and_can_be_cancelled(tmp_path):
    note = tmp_path / "id"
    script = f"require('fs').writeFileSync('{note}', String(process.pid)); require('{SERVER}')"

    async def main():
        first, second = await asyncio.gather(
            mcp_assay.certify_async("node", [SERVER], **FEW), mcp_assay.certify_async("node", [SERVER], **FEW)
        )
        assert first.conformant and second.conformant
        begun = asyncio.Event()
        run = asyncio.ensure_future(
            mcp_assay.certify_async("node", ["-e", script], revisions="2025-11-25", on_event=lambda _: begun.set())
        )
        await begun.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run

    asyncio.run(main())
    if note.exists():
        with pytest.raises(ProcessLookupError):
            os.kill(int(note.read_text()), 0)


def test_other_platforms_say_what_they_need_and_run_the_image(monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.delenv("MCP_ASSAY_IMAGE", raising=False)
    with pytest.raises(mcp_assay.AssayError) as raised:
        _program.find_program()
    assert str(raised.value) == _program.ELSEWHERE
    monkeypatch.setenv("MCP_ASSAY_IMAGE", "image:1")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(mcp_assay.AssayError, match="neither Docker nor Podman"):
        _program.find_program()
    # An engine that runs what comes after the image.
    packed = Path(_program.__file__).parent / "bin" / "mcp-assay"
    (tmp_path / "podman").write_text(
        f"""#!/bin/sh
echo "$@" >{tmp_path}/said
while [ "$1" != image:1 ]; do shift; done
shift
exec {packed} "$@"
"""
    )
    (tmp_path / "podman").chmod(0o755)
    result = mcp_assay.certify(NODE, [SERVER], cwd=str(tmp_path), **FEW)
    assert result.conformant, result.text
    said = (tmp_path / "said").read_text()
    assert said.startswith(f"run --rm --interactive --network host --volume {tmp_path}:/work --workdir /work"), said
    assert "--env MCP_ASSAY_IMAGE image:1 server " in said


def test_the_command(tmp_path):
    command = Path(sys.executable).parent / "mcp-assay"
    assert subprocess.run([command, "explain", "no-such-rule"], capture_output=True, check=False).returncode == 2


def outcomes(pytester, *words):
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", "-rfsx", "--mcp-revision", "2025-11-25",
                                         "--mcp-option=--scenario", "--mcp-option=ping*", *words)


def test_one_item_for_each_requirement(pytester):
    result = outcomes(pytester, "--mcp-server", f"node {SERVER} --bad-ping", "-k", "ping or could or pagination.invalid-cursor")
    found = result.parseoutcomes()
    assert found["failed"] == 1 and found["passed"] >= 2 and found["skipped"] >= 1
    result.stdout.fnmatch_lines(["*fix *Answer ping with*", "*{\"pong\":true}*", "FAILED mcp-assay::ping.empty-result*"])


def test_expected_failures_become_xfail_and_stale_ones_fail(pytester):
    pytester.makefile(".yaml", known="server: [{requirement: ping.empty-result, reason: issue 12}]")
    options = ["--mcp-expected-failures", "known.yaml", "-k", "ping.empty-result"]
    bad = outcomes(pytester, "--mcp-server", f"node {SERVER} --bad-ping", *options)
    bad.assert_outcomes(xfailed=1)
    bad.stdout.fnmatch_lines(["*issue 12*"])
    good = outcomes(pytester, "--mcp-server", f"node {SERVER}", *options)
    good.assert_outcomes(failed=1)
    good.stdout.fnmatch_lines(["*remove it*"])


def test_a_server_that_does_not_start_fails_once(pytester):
    result = outcomes(pytester, "--mcp-server", "node -e process.exit(7)", "-k", "could or ping.answered")
    result.assert_outcomes(failed=1, skipped=1)


@pytest.mark.parametrize(
    "words, said",
    [
        (["--mcp-server", ""], "--mcp-server is empty"),
        (["--mcp-server", "node 'server.js"], "--mcp-server: No closing quotation: node 'server.js"),
        (["--mcp-url", " "], "--mcp-url is empty"),
        (["--mcp-server", "node", "--mcp-revision", "1999-01-01"], "*unknown revision '1999-01-01'*"),
    ],
)
def test_a_wrong_option_is_told_once(pytester, words, said):
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *words)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])
    assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_fixtures(pytester):
    pytester.makepyfile(
        f"""
        def test_one(mcp_certify):
            assert mcp_certify("node", ["{SERVER}"], revisions="2025-11-25", scenarios="ping*").conformant

        def test_two(mcp_result):
            assert mcp_result.conformant, mcp_result.text
        """
    )
    pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1, skipped=1)
    outcomes(pytester, "--mcp-server", f"node {SERVER}", "-k", "test_two").assert_outcomes(passed=1)

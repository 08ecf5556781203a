"""Certifies servers of the Model Context Protocol with the program mcp-assay."""

from ._certify import Result, certify, certify_async
from ._program import AssayError
from .report import Event, Evidence, Failure, Report, Run, Verdict

__all__ = [
    "AssayError",
    "Event",
    "Evidence",
    "Failure",
    "Report",
    "Result",
    "Run",
    "Verdict",
    "certify",
    "certify_async",
]

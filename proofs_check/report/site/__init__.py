"""The report to look at: a static site, Markdown, comments in LaTeX, and what changed between two reports.

All is made from the report's JSON alone.
"""

from proofs_check.report.site.changes import Change, Diff, diff
from proofs_check.report.site.comments import comments
from proofs_check.report.site.markdown import markdown
from proofs_check.report.site.pages import write

__all__ = ["Change", "Diff", "comments", "diff", "markdown", "write"]

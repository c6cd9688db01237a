"""The report to look at: a static site, Markdown, an erratum in LaTeX, and what changed between two reports.

All is made from the report's JSON alone.
"""

from proofs_check.report.site.changes import Change, Diff, diff
from proofs_check.report.site.erratum import erratum
from proofs_check.report.site.markdown import markdown
from proofs_check.report.site.pages import write

__all__ = ["Change", "Diff", "diff", "erratum", "markdown", "write"]

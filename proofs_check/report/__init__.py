"""The report and what it is shown as: JSON, the terminal, pages, Markdown, LaTeX and JUnit."""

"""How an audit is reported: text, Markdown, JSON. Text from checkpoints is cleaned here and nowhere else."""

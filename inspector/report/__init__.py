"""How an audit is told: text, Markdown, JSON. Text from checkpoints is cleaned here and nowhere else."""

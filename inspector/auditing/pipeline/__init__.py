"""Audits sources that consist of several models: diffusers pipelines, single files, modules of sentence encoders."""

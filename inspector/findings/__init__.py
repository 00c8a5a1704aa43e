"""All findings that the tool can report: one record for each, in one file or folder for each stage. Imports only
algebra.
"""

"""Bytes and what they say: links move them, codecs read them, a session asks and answers.

Knows no device's meaning.
"""

"""A chat endpoint: what is asked, what comes back, and what that costs.

Nothing here knows pages, plans or ontologies. Prompts come from above, and replies go back as text.
"""

from __future__ import annotations

from kb.llm.chat import Chat, Message, Prompt, Reply

__all__ = ["Chat", "Message", "Prompt", "Reply"]

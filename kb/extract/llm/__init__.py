"""Reading pages with a language model: prompt, reply, reader, estimate. What is asked for is in the ontology."""

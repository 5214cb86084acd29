"""Models behind an address: a JSON API, and a page to teach one in the browser. Needs the extra `serve`."""

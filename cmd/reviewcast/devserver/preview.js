// What `reviewcast dev` adds to the page, and nobody else: it reloads the page
// when a build has changed it, and lays what is wrong in the editors' files over
// it. No part of this is ever published.
(() => {
	const shown = document.currentScript.dataset.build; // the build that this page is of
	let overlay;

	const element = (parent, tag, style, text) => {
		const e = document.createElement(tag);
		e.style.cssText = style; // set by script, so that the page's own policy on styles lets it be
		if (text !== undefined) e.textContent = text;
		parent.append(e);
		return e;
	};

	const clear = () => {
		overlay?.remove();
		overlay = undefined;
	};

	const show = (message, problems) => {
		clear();
		const host = element(document.documentElement, "div", "position:fixed;inset:0;z-index:2147483647;overflow:auto;background:rgba(20,20,24,.92)");
		host.id = "reviewcast-problems";
		host.setAttribute("role", "alertdialog");
		host.setAttribute("aria-label", "Problems in the content");
		const box = element(host, "div", "max-width:56rem;margin:3rem auto;padding:0 1.5rem 3rem;color:#f4f4f5;font:15px/1.5 ui-monospace,monospace");
		element(box, "h1", "font:600 20px/1.3 system-ui,sans-serif;color:#ff8a80;margin:0 0 .25rem", message);
		element(box, "p", "font:15px/1.5 system-ui,sans-serif;margin:0 0 1.5rem;color:#c9c9d1",
			"The last good build is below. This goes away when the files are right; Escape hides it.");
		for (const p of problems) {
			const item = element(box, "section", "margin:0 0 1.25rem;padding-left:.9rem;border-left:3px solid " + (p.severity === "warning" ? "#ffd180" : "#ff8a80"));
			element(item, "div", "color:#9ecbff", p.place);
			element(item, "div", "font-weight:600;overflow-wrap:anywhere", p.message);
			if (p.source) element(item, "pre", "margin:.35rem 0;overflow-x:auto;color:#d6d6dc", p.source + "\n" + " ".repeat(p.caret) + "^");
			if (p.suggestion) element(item, "div", "color:#b9f6ca;overflow-wrap:anywhere", p.suggestion);
		}
		overlay = host;
	};

	addEventListener("keydown", (e) => {
		if (e.key === "Escape") clear();
	});

	const stream = new EventSource("/.reviewcast/events");
	stream.addEventListener("state", (e) => {
		const state = JSON.parse(e.data);
		if (state.build !== shown) {
			location.reload();
			return;
		}
		if (state.problems.length > 0 || state.message) {
			show(state.message, state.problems);
		} else {
			clear();
		}
	});
	addEventListener("pagehide", () => stream.close());
})();

// The script that `reviewcast dev` adds to each page. It reloads the page after
// each new build, shows the problems of the content in an overlay, and says when dev
// has stopped. No part of it is ever published.
(() => {
	const shown = document.currentScript.dataset.build; // the build of this page
	const openKey = "reviewcast-open";
	let overlay, notice, remarks;

	const element = (parent, tag, style, text) => {
		const e = document.createElement(tag);
		e.style.cssText = style; // allowed by the page's policy, which forbids style attributes
		if (text !== undefined) e.textContent = text;
		parent.append(e);
		return e;
	};

	const clear = () => {
		overlay?.remove();
		overlay = undefined;
	};

	const list = (box, problems) => {
		for (const p of problems) {
			const item = element(box, "section", "margin:0 0 1.25rem;padding-left:.9rem;border-left:3px solid " + (p.severity === "warning" ? "#ffd180" : "#ff8a80"));
			element(item, "div", "color:#9ecbff", [p.file, p.line, p.col].filter(Boolean).join(":"));
			element(item, "div", "font-weight:600;overflow-wrap:anywhere", p.message);
			if (p.source) element(item, "pre", "margin:.35rem 0;padding:0;border:0;background:none;overflow-x:auto;color:#d6d6dc", p.source + "\n" + " ".repeat(p.caret) + "^");
			if (p.suggestion) element(item, "div", "color:#b9f6ca;overflow-wrap:anywhere;white-space:pre-wrap", p.suggestion);
		}
	};

	// Warnings don't keep a page from being published: they stay folded in a corner.
	const remark = (warnings) => {
		const open = remarks?.open;
		remarks?.remove();
		remarks = undefined;
		if (!warnings.length) return;
		remarks = element(document.documentElement, "details", "position:fixed;right:1rem;bottom:1rem;z-index:2147483645;box-sizing:border-box;max-width:min(48rem,calc(100vw - 2rem));max-height:70vh;overflow:auto;margin:0;padding:.5rem .9rem;border:1px solid #ffd180;border-radius:.5rem;background:#242428;color:#f4f4f5;font:15px/1.5 ui-monospace,monospace");
		remarks.id = "reviewcast-warnings";
		remarks.open = Boolean(open);
		element(remarks, "summary", "cursor:pointer;font:600 15px/1.5 system-ui,sans-serif;color:#ffd180", warnings.length === 1 ? "1 warning" : warnings.length + " warnings");
		element(remarks, "p", "font:15px/1.5 system-ui,sans-serif;margin:.25rem 0 1rem;color:#c9c9d1", "Worth a second look before you publish. Only dev shows this.");
		list(remarks, warnings);
	};

	const show = (message, problems, total) => {
		clear();
		const host = element(document.documentElement, "div", "position:fixed;inset:0;z-index:2147483646;overflow:auto;background:rgba(20,20,24,.92)");
		host.id = "reviewcast-problems";
		host.setAttribute("role", "alertdialog");
		host.setAttribute("aria-label", "Problems in the content");
		const box = element(host, "div", "max-width:56rem;margin:3rem auto;padding:0 1.5rem 3rem;color:#f4f4f5;font:15px/1.5 ui-monospace,monospace");
		element(box, "h1", "font:600 20px/1.3 system-ui,sans-serif;color:#ff8a80;margin:0 0 .25rem", message);
		const hint = "font:15px/1.5 system-ui,sans-serif;margin:0 0 1.5rem;color:#c9c9d1";
		element(box, "p", hint, "The last good build is behind this message, which disappears once the files are fixed. Escape hides it.");
		list(box, problems);
		if (total > problems.length) element(box, "p", hint, problems.length + " of " + total + " problems are shown here. The terminal lists all.");
		overlay = host;
	};

	// The state of the page survives a reload: the browser keeps the scroll position, and
	// this the opened answers, by their questions.
	const reload = () => {
		const open = [...document.querySelectorAll("details[open] > summary")].map((s) => s.textContent);
		sessionStorage.setItem(openKey, JSON.stringify(open));
		location.reload();
	};
	const reopen = () => {
		const open = new Set(JSON.parse(sessionStorage.getItem(openKey) ?? "[]"));
		sessionStorage.removeItem(openKey);
		for (const s of document.querySelectorAll("details > summary")) {
			if (open.has(s.textContent)) s.parentElement.open = true;
		}
	};
	reopen();

	addEventListener("keydown", (e) => {
		if (e.key === "Escape") clear();
	});

	const stream = new EventSource("/.reviewcast/events");
	stream.addEventListener("state", (e) => {
		const state = JSON.parse(e.data);
		if (state.build !== shown) {
			reload();
			return;
		}
		remark(state.warnings ?? []);
		if (state.message) {
			show(state.message, state.problems ?? [], state.total);
		} else {
			clear();
		}
	});
	stream.addEventListener("open", () => {
		notice?.remove();
		notice = undefined;
	});
	stream.addEventListener("error", () => { // the browser tries to connect again
		if (notice) return;
		notice = element(document.documentElement, "div", "position:fixed;inset:auto 0 0 0;z-index:2147483647;padding:.7rem 1.2rem;background:#7a1f1f;color:#fff;font:15px/1.4 system-ui,sans-serif",
			"The preview has stopped, so this page no longer follows your changes. Start reviewcast dev again.");
		notice.id = "reviewcast-stopped";
		notice.setAttribute("role", "status");
	});
	addEventListener("pagehide", () => stream.close());
})();

// The search, and the list of versions. Both read scripts beside this one, because a page that was opened from a folder may not fetch files.
"use strict";

(() => {
	const root = new URL(".", document.currentScript.src);

	const load = (name, then) => {
		const script = document.createElement("script");
		script.src = new URL(name, root);
		script.onload = then;
		document.head.append(script);
	};

	// versions.js is that of the newest version, whichever version this is. It sets versions to names and the pages where they begin.
	load("../versions.js", () => {
		const list = document.createElement("select");
		const place = document.getElementById("site-version");
		const here = place.textContent;
		list.setAttribute("aria-label", "Version");
		for (const [name, address] of versions) {
			list.add(new Option(name, new URL("../" + address, root), false, name === here));
			if (address.includes(":")) list.options[list.length - 1].value = address;
		}
		list.onchange = () => { location.href = list.value; };
		place.replaceChildren(list);
	});

	const box = document.getElementById("site-search");
	const field = box.querySelector("input");
	const results = document.getElementById("site-results");
	const most = 20;
	box.hidden = false;

	// The sections, which search.js sets, and what they have in lower case.
	let index = null;
	const read = () => {
		if (index) return;
		index = [];
		load("search.js", () => {
			index = sections.map((section) => ({ section, page: section.page.toLowerCase(), heading: section.heading.toLowerCase(), text: section.text.toLowerCase() }));
			show();
		});
	};

	// score of a section: 0 unless it has all words. A word in its heading says more than one in the name of its page or in its text, and a
	// whole word more than a part of one.
	const score = (entry, words) => {
		let sum = 0;
		for (const word of words) {
			const points = 8 * weight(entry.heading, word) + 3 * weight(entry.page, word) + weight(entry.text, word);
			if (!points) return 0;
			sum += points;
		}
		// The heading is what was asked for.
		return entry.heading === words.join(" ") ? 2 * sum : sum;
	};

	const weight = (text, word) => {
		const at = text.indexOf(word);
		if (at < 0) return 0;
		const letter = /[a-z0-9]/;
		const begins = at === 0 || !letter.test(text[at - 1]);
		const ends = at + word.length === text.length || !letter.test(text[at + word.length]);
		return 1 + begins + (begins && ends);
	};

	// marked text as nodes, with the words in it.
	const marked = (text, words) => {
		const pattern = new RegExp("(" + words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "gi");
		return text.split(pattern).map((part, i) => {
			if (i % 2 === 0) return part;
			const mark = document.createElement("mark");
			mark.textContent = part;
			return mark;
		});
	};

	// extract of a text around the first of the words in it.
	const extract = (text, words) => {
		const lower = text.toLowerCase();
		const found = words.map((word) => lower.indexOf(word)).filter((at) => at >= 0);
		let from = found.length ? Math.max(0, Math.min(...found) - 60) : 0;
		if (from) from = text.indexOf(" ", from) + 1;
		const part = text.slice(from, from + 160);
		return (from ? "... " : "") + part + (from + 160 < text.length ? " ..." : "");
	};

	const item = (section, words) => {
		const { page, heading, address, text } = section;
		const link = document.createElement("a");
		link.href = new URL(address, root);
		const title = document.createElement("strong");
		const where = document.createElement("small");
		where.textContent = " " + page;
		title.append(...marked(heading, words), where);
		const line = document.createElement("span");
		line.append(...marked(extract(text, words), words));
		link.append(title, line);
		const entry = document.createElement("li");
		entry.append(link);
		return entry;
	};

	const show = () => {
		const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
		results.hidden = !words.length || !index.length;
		if (results.hidden) return;
		const found = index.map((entry) => ({ entry, points: score(entry, words) })).filter((hit) => hit.points);
		// Sections with the same score stay in the order of the pages. What follows a table has the address of what precedes it.
		found.sort((a, b) => b.points - a.points);
		const hits = new Map();
		for (const { entry } of found) {
			if (!hits.has(entry.section.address)) hits.set(entry.section.address, entry.section);
		}
		results.replaceChildren(...[...hits.values()].slice(0, most).map((section) => item(section, words)));
		const note = document.createElement("p");
		if (!hits.size) note.textContent = "Nothing has all of these words.";
		if (hits.size > most) note.textContent = `${hits.size - most} more: add a word.`;
		if (note.textContent) {
			const last = document.createElement("li");
			last.append(note);
			results.append(last);
		}
		results.scrollTop = 0;
	};

	const step = (by) => {
		const links = [field, ...results.querySelectorAll("a")];
		const next = links[links.indexOf(document.activeElement) + by];
		if (next) next.focus();
	};

	field.onfocus = () => { read(); show(); };
	field.oninput = show;
	box.onkeydown = (event) => {
		if (event.key === "ArrowDown" || event.key === "ArrowUp") {
			step(event.key === "ArrowDown" ? 1 : -1);
		} else if (event.key === "Enter" && event.target === field) {
			const first = results.querySelector("a");
			if (first && !results.hidden) first.click();
		} else if (event.key === "Escape") {
			results.hidden = true;
			field.blur();
		} else {
			return;
		}
		event.preventDefault();
	};
	document.addEventListener("keydown", (event) => {
		if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
		event.preventDefault();
		field.focus();
	});
	document.addEventListener("click", (event) => {
		if (!box.contains(event.target) || event.target.closest("a")) results.hidden = true;
	});
})();

// The dataset, as reviewcast publishes it.
exports.data = { permalink: "reviews.json" };
exports.render = ({ business, reviews, all }) => {
	const distribution = { 5: 0, 4: 0, 3: 0, 2: 0, 1: 0 };
	let sum = 0, texts = 0;
	const flat = (o) => (o.id ? [o] : Object.values(o).flatMap(flat));
	const list = (all ?? flat(reviews)).map((r) => {
		distribution[r.rating]++;
		sum += r.rating;
		if (r.text) texts++;
		return {
			id: r.id, author: r.author, author_avatar_url: r.author_avatar_url ?? null, rating: r.rating, date: r.date, title: r.title ?? null, text: r.text ?? null,
			language: r.language, source: r.source, source_url: r.source_url ?? null, owner_reply: r.owner_reply ?? null, verified: true,
			verification: { method: r.verification.method, verified_on: r.verification.verified_on ?? r.date },
			mentions: { technicians: r.technicians ?? [], services: r.services ?? [], service_areas: r.service_areas ?? [] },
		};
	});
	list.sort((a, b) => (a.date < b.date ? 1 : a.date > b.date ? -1 : a.id < b.id ? -1 : 1));
	return JSON.stringify({
		version: 1, license: "all-rights-reserved", business,
		aggregate_rating: { rating_value: Math.round((sum / list.length) * 100) / 100, rating_count: list.length, text_count: texts, best_rating: 5, worst_rating: 1, distribution },
		review_count: list.length, unpublished: { unverified: 0, withdrawn: 0, legal: 0 }, reviews: list,
	});
};

// Asks an edge with three generated clients: search, since, the dataset, a 304 and a 404.
// A type that came out as any or unknown doesn't compile.
import { client } from "./hey-api/client.gen";
import * as heyAPI from "./hey-api";
import * as orval from "./orval";
import type { paths } from "./types";

type Known<T> = unknown extends T ? never : T;
let checks = 0;
function equal<T>(what: string, got: Known<T>, want: T): void {
  if (got !== want) throw new Error(`${what} is ${got}, want ${want}`);
  checks++;
}

// openapi-typescript makes types only.
type Answer<P extends keyof paths> = paths[P] extends { get: { responses: { 200: { content: { "application/json": infer T } } } } } ? T : never;

async function main(): Promise<void> {
  const base = client.getConfig().baseUrl ?? ""; // the server in the description
  const get = async <P extends keyof paths>(path: P, query = ""): Promise<Answer<P>> => (await fetch(base + path + query)).json();
  const whole = await get("/reviews.json");
  const [newest] = whole.reviews;
  if (!newest) throw new Error("the dataset has no review");
  equal<number>("review_count", whole.review_count, whole.reviews.length);
  const counted = await get("/insights.json");
  equal<string | undefined>("sentiment", counted.per_review[newest.id]?.sentiment === undefined ? undefined : "known", "known");
  const five = await get("/api/reviews/search", "?rating=5&limit=3");
  equal<number>("the stars found", five.reviews[0]?.rating ?? 0, 5);

  const heyDataset = await heyAPI.getReviews();
  equal<string | null | undefined>("hey-api: the newest title", heyDataset.data?.reviews[0]?.title, newest.title);
  const heySearch = await heyAPI.searchReviews({ query: { rating: 5, limit: 3, facets: true } });
  equal<number | undefined>("hey-api: matched", heySearch.data?.matched, five.matched);
  equal<number | undefined>("hey-api: a facet", heySearch.data?.facets?.rating[0]?.value, 5);
  const heySince = await heyAPI.getReviewsSince({ path: { date: newest.date } });
  equal<string | undefined>("hey-api: since", heySince.data?.reviews[0]?.id, newest.id);
  const etag = heyDataset.response?.headers.get("ETag") ?? "";
  const heySame = await heyAPI.getReviews({ headers: { "If-None-Match": etag } });
  equal<number | undefined>("hey-api: with the ETag", heySame.response?.status, 304);
  const heyMissing = await heyAPI.getChange({ path: { sequence: 1 } });
  equal<number | undefined>("hey-api: no such change", heyMissing.error?.status, 404);

  const orvalDataset = await orval.getReviews();
  if (orvalDataset.status !== 200) throw new Error(`orval: status ${orvalDataset.status}`);
  equal<string | undefined>("orval: the newest author", orvalDataset.data.reviews[0]?.author, newest.author);
  const orvalSearch = await orval.searchReviews({ rating: 5, limit: 3 });
  equal<number>("orval: matched", orvalSearch.status === 200 ? orvalSearch.data.matched : 0, five.matched);
  const orvalSince = await orval.getReviewsSince(newest.date);
  equal<string | undefined>("orval: since", orvalSince.status === 200 ? orvalSince.data.reviews[0]?.id : "", newest.id);
  const orvalSame = await orval.getReviews({ headers: { "If-None-Match": etag } });
  equal<number>("orval: with the ETag", orvalSame.status, 304);
  const orvalMissing = await orval.getChange(1);
  equal<string>("orval: no such change", orvalMissing.status === 404 ? orvalMissing.data.title : "", "Not Found");
}

main().then(() => console.log(`TypeScript clients: ${checks} answers as expected`));

// What BROWSER may start in place of a person's: follows redirects from its last word, with cookies.
let url = process.argv.at(-1);
const cookies = new Map();
for (let i = 0; i < 20 && url; ++i) {
  const answer = await fetch(url, { redirect: "manual",
    headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") } });
  for (const each of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(each);
    cookies.set(name, value);
  }
  const place = answer.headers.get("location");
  url = place && new URL(place, url).href;
}

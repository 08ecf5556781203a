// Finds pages that have every word, those with most of them in the title first. kPages and kUp come from the page.
const kMost = 12;
const box = document.getElementById('search');
const list = document.getElementById('found');
const unescaped = (text) => new DOMParser().parseFromString(text, 'text/html').documentElement.textContent;
const pages = kPages.map((page) => ({ ...page, title: unescaped(page.title), text: unescaped(page.text) }));

function excerpt(text, word) {
  const at = text.toLowerCase().indexOf(word);
  const from = Math.max(0, at - 40);
  const small = document.createElement('small');
  const mark = document.createElement('mark');
  mark.textContent = text.slice(at, at + word.length);
  small.append(text.slice(from, at), mark, text.slice(at + word.length, at + word.length + 60));
  return small;
}

box.addEventListener('input', () => {
  const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
  const has_all = (text) => words.every((word) => text.toLowerCase().includes(word));
  const found = words.length === 0 ? [] : pages.filter((page) => has_all(`${page.title} ${page.text}`));
  const in_title = ({ title }) => words.filter((word) => title.toLowerCase().includes(word)).length;
  found.sort((a, b) => in_title(b) - in_title(a));
  list.replaceChildren(...found.slice(0, kMost).map((page) => {
    const item = document.createElement('li');
    const link = document.createElement('a');
    link.href = kUp + page.page;
    link.textContent = page.title;
    item.append(link, excerpt(page.text, words[0]));
    return item;
  }));
});

// On a narrow window the page comes first.
document.querySelector('nav .pages').open = !matchMedia('(max-width: 50rem)').matches;

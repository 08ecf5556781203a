// Line plots as SVG: logarithmic axes, a few series, nothing else. Readable on light and dark pages.
const kWidth = 640;
const kHeight = 360;
const kMargin = { left: 70, right: 170, top: 36, bottom: 48 };
const kColours = ["#2a78c2", "#d1495b", "#2e8b57", "#b8860b", "#7b52ab", "#5c6b73"];

const escape = (text) =>
  String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const label = (value) =>
  value >= 1e6 ? `${value / 1e6}M` : value >= 1e3 ? `${value / 1e3}k` : String(value);

// Powers of ten, and what lies between them where there are few.
function ticks(low, high) {
  const steps = high / low > 1000 ? [1] : [1, 2, 5];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); ++power) {
    for (const step of steps) {
      const value = step * 10 ** power;
      if (value >= low * 0.999 && value <= high * 1.001) found.push(Number(value.toPrecision(3)));
    }
  }
  return found;
}

// `series`: [{name, isDashed, points: [[x, y], ...]}], all values above 0.
export function plot({ title, xTitle, yTitle, xTicks, series }) {
  const all = series.flatMap((each) => each.points);
  const range = (index) => {
    const values = all.map((point) => point[index]);
    return [Math.min(...values) / 1.15, Math.max(...values) * 1.15];
  };
  const [xRange, yRange] = [range(0), range(1)];
  const place = ([low, high], from, to) => (value) =>
    from + ((to - from) * Math.log(value / low)) / Math.log(high / low);
  const x = place(xRange, kMargin.left, kWidth - kMargin.right);
  const y = place(yRange, kHeight - kMargin.bottom, kMargin.top);
  const out = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${kWidth} ${kHeight}" ` +
      `font-family="sans-serif" font-size="12" role="img" aria-label="${escape(title)}">`,
    `<rect width="${kWidth}" height="${kHeight}" fill="#ffffff"/>`,
    `<text x="${kMargin.left}" y="20" font-size="14" font-weight="bold">${escape(title)}</text>`,
  ];
  const [left, right] = [kMargin.left, kWidth - kMargin.right];
  const [top, bottom] = [kMargin.top, kHeight - kMargin.bottom];
  for (const value of ticks(...yRange)) {
    const at = y(value).toFixed(1);
    out.push(`<path d="M${left} ${at}H${right}" stroke="#dddddd"/>`);
    out.push(`<text x="${left - 6}" y="${+at + 4}" text-anchor="end">${label(value)}</text>`);
  }
  for (const value of xTicks ?? ticks(...xRange)) {
    const at = x(value).toFixed(1);
    out.push(`<path d="M${at} ${top}V${bottom}" stroke="#eeeeee"/>`);
    out.push(`<text x="${at}" y="${bottom + 16}" text-anchor="middle">${label(value)}</text>`);
  }
  out.push(`<path d="M${left} ${top}V${bottom}H${right}" fill="none" stroke="#333333"/>`);
  out.push(`<text x="${(left + right) / 2}" y="${kHeight - 10}" text-anchor="middle">${escape(xTitle)}</text>`);
  out.push(
    `<text transform="translate(16 ${(top + bottom) / 2}) rotate(-90)" text-anchor="middle">${escape(yTitle)}</text>`,
  );
  series.forEach((each, index) => {
    const colour = kColours[(each.colour ?? index) % kColours.length];
    const dash = each.isDashed ? ' stroke-dasharray="5 4"' : "";
    const path = each.points.map((point) => `${x(point[0]).toFixed(1)} ${y(point[1]).toFixed(1)}`);
    out.push(`<path d="M${path.join("L")}" fill="none" stroke="${colour}" stroke-width="2"${dash}/>`);
    for (const point of path) {
      const [cx, cy] = point.split(" ");
      out.push(`<circle cx="${cx}" cy="${cy}" r="3" fill="${colour}"/>`);
    }
    const row = top + 10 + 18 * index;
    out.push(`<path d="M${right + 10} ${row}h18" stroke="${colour}" stroke-width="2"${dash}/>`);
    out.push(`<text x="${right + 34}" y="${row + 4}">${escape(each.name)}</text>`);
  });
  return out.join("\n") + "\n</svg>\n";
}

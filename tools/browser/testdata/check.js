// What is wrong with the page as it is laid out now, as a list of texts.
(() => {
  const wrong = [];
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push(`the page scrolls sideways: ${root.scrollWidth} > ${root.clientWidth}`);

  // Contrast (WCAG 2.1, 1.4.3): 4.5 of text, 3 of lines.
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const rgb = colour => {
    if (known.has(colour)) return known.get(colour);
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    known.set(colour, canvas.getImageData(0, 0, 1, 1).data);
    return known.get(colour);
  };
  const luminance = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const contrast = (a, b) => {
    const [x, y] = [luminance(rgb(a)), luminance(rgb(b))];
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const behind = e => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (rgb(colour)[3] === 255) return colour;
    }
    return "white";
  };
  const seen = new Set();
  const check = (e, ink, least) => {
    const pair = `${ink} on ${behind(e)}`;
    if (seen.has(pair + least)) return;
    seen.add(pair + least);
    const ratio = contrast(ink, behind(e));
    if (ratio < least) wrong.push(`contrast ${ratio.toFixed(2)} of ${pair}: <${e.tagName}> ${e.textContent.slice(0, 40)}`);
  };
  for (const e of document.body.querySelectorAll("*")) {
    if (e.closest(".chart svg") || e.closest("script") || !e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    if (e.matches(".curve:not(.faint) > path:first-of-type")) check(e, style.stroke, 3);
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
    if (e.closest("title, desc")) continue;
    check(e, e.closest("svg") ? style.fill : style.color, 4.5);
  }

  // Letters in a picture do not lie on each other or beyond its edges. The box of a text is as high as the highest letters of its font, which are higher in some fonts than in others,
  // so only that part of it counts in which its own letters stand.
  const inked = t => {
    const box = t.getBoundingClientRect(), style = getComputedStyle(t);
    canvas.font = `${style.fontWeight} 100px ${style.fontFamily}`;
    const m = canvas.measureText(t.textContent), scale = box.height / (m.fontBoundingBoxAscent + m.fontBoundingBoxDescent);
    return { left: box.left, right: box.right, top: box.top + scale * (m.fontBoundingBoxAscent - m.actualBoundingBoxAscent), bottom: box.bottom - scale * (m.fontBoundingBoxDescent - m.actualBoundingBoxDescent) };
  };
  for (const svg of document.querySelectorAll("figure svg[role=img]")) {
    const frame = svg.getBoundingClientRect();
    const boxes = [...svg.querySelectorAll("text")].map(t => [t.textContent, inked(t)]);
    boxes.forEach(([text, a], k) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 1 || a.top < frame.top - 1) wrong.push(`"${text}" leaves its picture`);
      for (const [other, b] of boxes.slice(k + 1)) {
        const x = Math.min(a.right, b.right) - Math.max(a.left, b.left), y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (x > 0.5 && y > 0.5) wrong.push(`"${text}" and "${other}" overlap`);
      }
    });
    const letters = parseFloat(getComputedStyle(svg).fontSize) * frame.width / svg.viewBox.baseVal.width;
    if (letters > 21) wrong.push(`letters of ${letters.toFixed(1)} px: the picture is blown up`);
    if (letters < 9) wrong.push(`letters of ${letters.toFixed(1)} px in a picture`);
  }

  // What scrolls sideways says so while there is more to the right, and nothing else does.
  for (const box of document.querySelectorAll(".scroll")) {
    if (!box.checkVisibility()) continue;
    const more = box.scrollWidth - box.clientWidth - box.scrollLeft >= 2;
    const hint = box.previousElementSibling;
    if (!hint?.matches(".hint") || hint.checkVisibility() !== more) wrong.push(`more to the right: ${more}, yet its hint is ${hint?.hidden ? "hidden" : "shown"}: ${box.textContent.trim().slice(0, 40)}`);
  }

  // Names, however hostile, are text.
  if (document.querySelectorAll("img, iframe, object, embed, link").length || [...document.scripts].filter(s => s.type !== "application/json").length !== 1) wrong.push("an element that the report does not write");
  for (const id of new Set([...document.querySelectorAll("[id]")].map(e => e.id))) {
    if (document.querySelectorAll(`#${CSS.escape(id)}`).length > 1) wrong.push(`two elements with the id ${id}`);
  }
  for (const e of document.querySelectorAll("[aria-labelledby]")) {
    for (const id of e.getAttribute("aria-labelledby").split(" ")) if (!document.getElementById(id)) wrong.push(`nothing has the id ${id}`);
  }
  for (const t of document.querySelectorAll("table")) if (!t.caption?.textContent.trim()) wrong.push("a table without a caption");
  for (const s of document.querySelectorAll("figure svg[role=img]")) {
    if (!s.querySelector(":scope > title")?.textContent || !s.querySelector(":scope > desc")?.textContent) wrong.push("a picture without title or description");
  }
  return wrong.slice(0, 20);
})()

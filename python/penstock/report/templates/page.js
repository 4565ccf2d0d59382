"use strict";
(() => {
  const D = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const $$ = (selector, from = document) => [...from.querySelectorAll(selector)];
  const state = { place: D.places.length ? D.places[0].name : "", point: 0, line: 0, link: "", hidden: new Set(), all: false };
  const DASHES = [[], [8, 3], [2, 3], [8, 3, 2, 3], [5, 3], [12, 3], [2, 2, 6, 2], [1, 3]];
  const colour = (name) => getComputedStyle(root).getPropertyValue(name).trim();
  const ink = (i) => colour("--c" + ((keys.length ? i : i + 1) % 8));
  const sans = () => getComputedStyle(document.body).fontFamily;
  const escape = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const keys = $$("#legend .key");
  const icon = (i) => (keys[i] ? keys[i].querySelector("svg").outerHTML : "");
  const shapes = keys.map((k) => new Path2D(k.querySelector("path").getAttribute("d")));
  const nice = (v) => (v == null ? "–" : Math.abs(v) >= 1e4 ? Math.round(v).toLocaleString("en").replace(/,/g, "\u202f") : String(+v.toPrecision(4)));
  let plots = [];

  // ---- charts against the swept value

  function sweepCharts() {
    const host = document.getElementById("sweep");
    const place = D.places.find((p) => p.name === state.place);
    if (!host || !place) return;
    host.textContent = "";
    for (const m of place.metrics) if (m.key || state.all) host.append(sweepChart(m));
  }

  function sweepChart(m) {
    const card = figure(`<b>${escape(m.title)}</b><span class="unit">${escape(m.unit)}</span>` +
      (m.better ? `<span class="dir">${m.better} is better</span>` : ""));
    const points = D.lines[state.line].points;
    const xs = points.map((p, i) => (D.x.numeric ? D.x.values[p] : i));
    const sorted = xs.map((_, i) => i).sort((a, b) => xs[a] - xs[b]);
    const take = (row, extra) => sorted.map((i) => { const v = row[points[i]]; return v == null ? null : extra ? extra(i) : v; });
    const data = [sorted.map((i) => xs[i])], series = [{}], bands = [];
    D.schemes.forEach((_, s) => {
      const at = data.length, mean = m.mean[s], half = m.half[s];
      const edge = (sign) => take(mean, (i) => mean[points[i]] + sign * (half[points[i]] || 0));
      data.push(take(mean), edge(1), edge(-1));
      const show = !state.hidden.has(s);
      series.push({ scheme: s, show, stroke: ink(s), width: 1.8, dash: DASHES[s % 8], points: { show: false }, spanGaps: true });
      series.push({ show, stroke: "transparent", points: { show: false } }, { show, stroke: "transparent", points: { show: false } });
      bands.push({ series: [at + 1, at + 2], fill: ink(s) + "22" });
    });
    const plot = chart(card, {
      height: 216, series, bands,
      scales: { x: { time: false, range: (u, a, b) => [a - (b - a || 1) * 0.06, b + (b - a || 1) * 0.06] }, y: { range: padded } },
      axes: [xAxis(D.x.title, D.x.numeric ? null : data[0], points), yAxis()],
      cursor: { drag: { x: false, y: false }, points: { show: false } },
      hooks: { drawSeries: [(u, i) => drawMarkers(u, i)], setCursor: [(u) => sweepTip(u, card, m, points, sorted)] },
    }, data);
    plots.push(plot);
    return card;
  }

  function drawMarkers(u, index) {
    const s = u.series[index].scheme;
    if (s == null) return;
    const ctx = u.ctx, ratio = devicePixelRatio || 1;
    ctx.save();
    u.data[0].forEach((x, i) => {
      const y = u.data[index][i];
      if (y == null) return;
      const px = u.valToPos(x, "x", true), py = u.valToPos(y, "y", true);
      const top = u.valToPos(u.data[index + 1][i], "y", true), low = u.valToPos(u.data[index + 2][i], "y", true);
      ctx.strokeStyle = ctx.fillStyle = ink(s);
      ctx.setLineDash([]);
      ctx.lineWidth = 1.1 * ratio;
      if (low - top > 2 * ratio) {
        ctx.beginPath();
        ctx.moveTo(px, top); ctx.lineTo(px, low);
        for (const end of [top, low]) { ctx.moveTo(px - 2.5 * ratio, end); ctx.lineTo(px + 2.5 * ratio, end); }
        ctx.stroke();
      }
      ctx.setTransform(4 * ratio, 0, 0, 4 * ratio, px, py);
      ctx.fill(shapes[s % shapes.length]);
      ctx.lineWidth = 0.28; ctx.strokeStyle = colour("--card"); ctx.stroke(shapes[s % shapes.length]);
      ctx.setTransform(1, 0, 0, 1, 0, 0);
    });
    ctx.restore();
  }

  function sweepTip(u, card, m, points, sorted) {
    const i = u.cursor.idx;
    if (i == null || u.cursor.left < 0) return hide(card);
    const point = points[sorted[i]];
    const rows = D.schemes.map((s, k) => ({ s, k, v: m.mean[k][point], h: m.half[k][point] }))
      .filter((r) => r.v != null && !state.hidden.has(r.k)).sort((a, b) => b.v - a.v)
      .map((r) => `<tr><td>${icon(r.k)}</td><td>${escape(r.s.label)}</td><td>${nice(r.v)}${r.h == null ? "" : ` <span class="pm">±${+r.h.toPrecision(2)}</span>`}</td></tr>`);
    tip(u, card, `<b>${escape(D.points[point])}</b>${m.unit ? " · in " + escape(m.unit) : ""}<table>${rows.join("")}</table><span class="pm">${D.runs > 1 ? "95 % intervals, n = " + D.runs : "n = 1: no interval"}</span>`);
  }

  // ---- distributions

  function distributionCharts() {
    const host = document.getElementById("distributions");
    const place = D.places.find((p) => p.name === state.place);
    if (!host || !place) return;
    host.textContent = "";
    for (const d of place.distributions) if (state.all || !d.name.startsWith("sampled")) host.append(distributionChart(d));
    if (!place.distributions.length) host.innerHTML = '<p class="note">There are no distributions here.</p>';
  }

  function distributionChart(d) {
    const card = figure(`<b>${escape(d.title)}</b><span class="unit">%</span>`);
    const rows = D.schemes.map((_, s) => ({ s, mean: d.mean[s][state.point], half: d.half[s][state.point], runs: d.runs[s][state.point] })).filter((r) => r.mean);
    const size = Math.max(1, ...rows.map((r) => r.mean.length));
    const data = [[...Array(size).keys()].map((k) => k * d.width + d.first)], series = [{}], bands = [];
    for (const r of rows) {
      const at = data.length, show = !state.hidden.has(r.s), flat = { show, stroke: "transparent", points: { show: false } };
      data.push(r.mean, r.mean.map((v, k) => Math.min(v + r.half[k], 100)), r.mean.map((v, k) => Math.max(v - r.half[k], 0)));
      series.push({ show, stroke: ink(r.s), width: 1.6, dash: DASHES[r.s % 8], points: { show: false } }, flat, flat);
      bands.push({ series: [at + 1, at + 2], fill: ink(r.s) + "22" });
    }
    const read = (u) => {
      const i = u.cursor.idx;
      if (i == null || u.cursor.left < 0) return hide(card);
      const lines = rows.filter((r) => !state.hidden.has(r.s)).map((r) => `<tr><td>${icon(r.s)}</td><td>${escape(D.schemes[r.s].label)}</td><td>${nice(r.mean[i])} %${r.runs < D.runs ? ` <span class="pm">n = ${r.runs}</span>` : ""}</td></tr>`);
      tip(u, card, `<b>${data[0][i]}${d.width > 1 ? "–" + (data[0][i] + d.width - 1) : ""}</b><table>${lines.join("")}</table>`);
    };
    plots.push(chart(card, {
      height: 208, series, bands, scales: { x: { time: false }, y: { range: (u, a, b) => [0, b * 1.06 || 1] } },
      axes: [xAxis(d.name === "length_pmf" || d.name === "sampled_length_pmf" ? "waiting packets" : "packets"), yAxis()],
      cursor: { drag: { x: false, y: false }, points: { show: false } }, hooks: { setCursor: [read] },
    }, data));
    return card;
  }

  // ---- queue, average and max_p over time

  function seriesCharts() {
    const host = document.getElementById("series");
    if (!host) return;
    host.textContent = "";
    const here = D.series.filter((e) => e.point === state.point && e.links[state.link] && !state.hidden.has(e.scheme));
    const top = Math.max(1, ...here.map((e) => Math.max(...e.links[state.link].queue.max)));
    const topP = Math.max(0, ...here.map((e) => (e.links[state.link].max_p ? Math.max(...e.links[state.link].max_p.mean) : 0)));
    for (const e of here) host.append(seriesChart(e, top, topP));
    if (!here.length) host.innerHTML = '<p class="note">No series was stored for this setting.</p>';
  }

  function seriesChart(entry, top, topP) {
    const d = entry.links[state.link], s = entry.scheme;
    const card = figure(`${icon(s)}<b>${escape(D.schemes[s].title)}</b><span class="unit">waiting packets</span>` + (d.max_p ? '<span class="dir">right axis: max_p</span>' : ""));
    const blank = d.t.map(() => null);
    const data = [d.t, d.queue.max, d.queue.min, d.queue.mean, d.avg ? d.avg.mean : blank, d.max_p ? d.max_p.mean : blank];
    const none = { stroke: "transparent", points: { show: false } };
    const plot = chart(card, {
      height: 208,
      series: [{}, none, none,
        { stroke: ink(s), width: 1, points: { show: false } },
        { stroke: colour("--ink"), width: 1.8, points: { show: false } },
        { stroke: colour("--accent"), width: 1.6, dash: [5, 3], scale: "p", points: { show: false } }],
      bands: [{ series: [1, 2], fill: ink(s) + "38" }],
      scales: { x: { time: false }, y: { range: [0, top * 1.04] }, p: { range: [0, topP * 1.08 || 1] } },
      axes: [xAxis("time (s)"), yAxis(), { ...yAxis(), scale: "p", side: 1, show: topP > 0, grid: { show: false }, ticks: { show: false }, stroke: colour(d.max_p ? "--accent" : "--card") }],
      cursor: { sync: { key: "time", scales: ["x", null] }, points: { show: false }, drag: { x: true, y: false } },
      hooks: { setCursor: [(u) => seriesTip(u, card, d)] },
    }, data);
    plots.push(plot);
    return card;
  }

  function seriesTip(u, card, d) {
    const i = u.cursor.idx;
    if (i == null || u.cursor.left < 0 || !card.matches(":hover")) return hide(card);
    const line = (what, v) => `<tr><td></td><td>${what}</td><td>${v}</td></tr>`;
    tip(u, card, `<b>${nice(d.t[i])} s</b><table>${line("queue", nice(d.queue.mean[i]))}${line("shortest – longest", nice(d.queue.min[i]) + " – " + nice(d.queue.max[i]))}` +
      `${d.avg ? line("average", nice(d.avg.mean[i])) : ""}${d.max_p ? line("max_p", nice(d.max_p.mean[i])) : ""}</table>`);
  }

  // ---- shared by all charts

  function figure(caption) {
    const card = document.createElement("figure");
    card.className = "card";
    card.innerHTML = `<figcaption>${caption}</figcaption><div class="tip"></div>`;
    return card;
  }

  function chart(card, options, data) {
    const box = document.createElement("div");
    card.append(box);
    const plot = new uPlot({ width: 320, legend: { show: false }, padding: [8, 8, 0, 0], ...options }, data, box);
    plot.box = card;
    return plot;
  }

  function padded(u, low, high) {
    if (low == null) return [0, 1];
    const spread = high - low || Math.abs(high) || 1;
    return [low >= 0 && low < spread * 0.8 ? 0 : low - spread * 0.08, high + spread * 0.08];
  }

  function axis() {
    return { stroke: colour("--soft"), font: "11.5px " + sans(), labelFont: "11.5px " + sans(), grid: { stroke: colour("--grid"), width: 1 },
      ticks: { stroke: colour("--line"), width: 1, size: 4 }, gap: 4 };
  }
  const yAxis = () => ({ ...axis(), size: (u, values) => 16 + 7 * Math.max(2, ...(values || []).map((v) => (v ? v.length : 0))) , values: (u, ticks) => ticks.map((v) => (v == null ? "" : Math.abs(v) >= 1e4 ? (v / 1e3).toLocaleString("en") + "k" : String(+v.toPrecision(6))))});
  function xAxis(label, splits, points) {
    const x = { ...axis(), label, labelSize: 18, size: 24, values: (u, ticks) => ticks.map((v) => String(+v.toPrecision(6))) };
    return splits ? { ...x, splits: () => splits, values: (u, ticks) => ticks.map((i) => String(D.x.values[points[i]] ?? "")) } : x;
  }

  function tip(u, card, html) {
    const box = card.querySelector(".tip");
    box.innerHTML = html;
    box.style.display = "block";
    const left = u.over.offsetLeft + u.root.offsetLeft + u.cursor.left, flip = left > card.clientWidth / 2;
    box.style.left = (flip ? Math.max(4, left - box.offsetWidth - 14) : Math.min(left + 14, card.clientWidth - box.offsetWidth - 4)) + "px";
    box.style.top = Math.max(4, Math.min(u.root.offsetTop + u.cursor.top - 20, card.clientHeight - box.offsetHeight + 30)) + "px";
  }
  const hide = (card) => { card.querySelector(".tip").style.display = "none"; };

  function fit() {
    for (const p of plots) {
      const inside = p.box.clientWidth - 28;
      if (inside > 60 && inside !== p.width) p.setSize({ width: inside, height: p.height });
    }
  }

  function draw() {
    plots.forEach((p) => p.destroy());
    plots = [];
    if (D.x) sweepCharts();
    distributionCharts();
    seriesCharts();
    fit();
  }

  function show() {
    for (const box of $$("[data-place]")) {
      const here = box.dataset.place === state.place;
      box.classList.toggle("shown-place", here);
      box.hidden = !here || (box.dataset.point !== undefined && +box.dataset.point !== state.point);
    }
    for (const button of $$("[data-pick] button")) {
      const what = button.parentElement.dataset.pick;
      button.setAttribute("aria-pressed", String(state[what]) === button.dataset.value);
    }
  }

  // ---- controls

  for (const button of $$("[data-pick] button"))
    button.addEventListener("click", () => {
      const what = button.parentElement.dataset.pick;
      state[what] = what === "point" ? +button.dataset.value : button.dataset.value;
      show();
      draw();
    });
  keys.forEach((key, i) => key.addEventListener("click", () => {
    if (!state.hidden.delete(i)) state.hidden.add(i);
    key.setAttribute("aria-pressed", !state.hidden.has(i));
    draw();
  }));
  for (const button of $$("[data-more]"))
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", on);
      button.textContent = on ? "Key metrics" : "All metrics";
      if (button.dataset.more === "rows") document.body.classList.toggle("all-rows", on);
      else { state.all = on; draw(); }
    });
  function choices(host, values, pick) {
    if (!host || values.length < 2) return;
    host.hidden = false;
    values.forEach((value, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = value;
      button.setAttribute("aria-pressed", i === 0);
      button.addEventListener("click", () => {
        $$("button", host).forEach((b) => b.setAttribute("aria-pressed", b === button));
        pick(i);
        draw();
      });
      host.append(button);
    });
  }
  const links = [...new Set(D.series.flatMap((e) => Object.keys(e.links)))];
  state.link = links[0] || "";
  choices(document.getElementById("series-link"), links, (i) => { state.link = links[i]; });
  if (D.lines) choices(document.getElementById("lines"), D.lines.map((l) => l.label), (i) => { state.line = i; });
  for (const button of $$(".copy"))
    button.addEventListener("click", () => {
      const pre = button.parentElement.querySelector("pre"), range = document.createRange();
      range.selectNodeContents(pre);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      const done = () => { button.textContent = "Copied"; setTimeout(() => { button.textContent = "Copy"; }, 1500); };
      if (navigator.clipboard) navigator.clipboard.writeText(pre.textContent).then(done, () => {});
    });

  // ---- light, dark, paper

  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  document.getElementById("theme").addEventListener("click", () => { root.dataset.theme = dark() ? "light" : "dark"; draw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  let before;
  addEventListener("beforeprint", () => { before = root.dataset.theme; root.dataset.theme = "light"; draw(); });
  addEventListener("afterprint", () => { if (before) root.dataset.theme = before; else delete root.dataset.theme; draw(); });
  let waiting;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(fit, 60); });

  // page.html#point=2&place=extra opens with that choice
  for (const [what, value] of new URLSearchParams(location.hash.slice(1))) {
    if (what === "point" && D.points && D.points[+value] !== undefined) state.point = +value;
    if (what === "place" && D.places.some((p) => p.name === value)) state.place = value;
  }
  show();
  draw();
})();

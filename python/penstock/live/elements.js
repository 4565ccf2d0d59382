// Small helpers of the bench: colours, numbers as text, canvases.

let flowColours;

/** The colour of a flow, from the palette of the schemes but for its grey. */
export function flowColour(flow) {
  flowColours ??= [1, 2, 3, 4, 5, 6, 7].map((at) => themeColour(`--c${at}`));
  return flowColours[flow % flowColours.length];
}

/** Another theme has other colours. */
export function forgetColours() {
  flowColours = undefined;
}

/** Whether the page stands inside another one, which has a title and words of its own. */
export function isEmbedded() {
  return window.self !== window.top;
}

/** A colour of the style sheet. */
export function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** A number with three digits. */
export function threeDigits(value) {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(2);
  return String(Number(value.toPrecision(3)));
}

/** A canvas that is sharp on every screen; returns its drawing context, cleared, and its size in CSS pixels. */
export function cleared(canvas) {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
  }
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

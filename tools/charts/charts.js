// The parts of Observable Plot and D3 that the charts of pages use.

export {
  areaY,
  axisX,
  axisY,
  cell,
  dot,
  gridY,
  line,
  lineY,
  link,
  plot,
  pointer,
  pointerX,
  rectY,
  ruleX,
  ruleY,
  text,
  tip,
} from "@observablehq/plot";
export { brushX, select, ticks } from "d3";

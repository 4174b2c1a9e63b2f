import type { CustomSeriesRenderItemAPI, CustomSeriesRenderItemParams, EChartsOption } from "echarts";
import { printable } from "../../core/util/printable";
import type { Phase, Sync } from "./reportTypes";
import { lasting } from "./words";

/** Colours are the page's, so that one drawing does for light, dark and paper. */
const ink = { color: "var(--soft)", fontSize: 12, fontFamily: "system-ui, sans-serif" };
const line = { lineStyle: { color: "var(--line)" } };
const rowHeight = 38;

/** Draws for a screen's and for a phone's width, in pixels. */
export const widths = { wide: 860, narrow: 340 } as const;

/** The heights over time: the node's, and the network's as far as it was known. @returns an SVG element */
export function syncChart({ curve }: Sync, width: number): string {
  return draw(width, 280, {
    grid: { left: 48, right: 16, top: 36, bottom: 28 },
    legend: {
      top: 0,
      left: 0,
      itemGap: 24,
      icon: "rect",
      itemHeight: 3,
      itemWidth: 18,
      textStyle: ink,
      selectedMode: false,
    },
    xAxis: timeAxis(width),
    yAxis: {
      ...{ type: "value", splitNumber: 4, splitLine: line },
      axisLabel: { ...ink, formatter: (height: number) => short(height) },
    },
    series: [
      {
        ...{ name: "network", type: "line", silent: true, symbol: "none", color: "var(--two)", z: 3 },
        lineStyle: { color: "var(--two)", width: 1.5, type: "dashed" },
        data: curve.map(([at, , target]) => [at, target > 0 ? target : null]),
      },
      {
        ...{ name: "this node", type: "line", silent: true, color: "var(--one)" },
        ...{ symbol: "circle", symbolSize: 4, showSymbol: curve.length < 3 },
        lineStyle: { color: "var(--one)", width: 2 },
        areaStyle: { color: "var(--one)", opacity: 0.12 },
        data: curve.map(([at, height]) => [at, height]),
      },
    ],
  });
}

/** A bar for what each stack was busy with, its name above it. @returns an SVG element */
export function phasesChart(phases: readonly Phase[], own: string, width: number): string {
  const times = phases.map(({ from, to }) => [Date.parse(from), Date.parse(to)] as const);
  const renderItem = (params: CustomSeriesRenderItemParams, api: CustomSeriesRenderItemAPI) => {
    const phase = phases[params.dataIndex];
    const [from = 0, to = 0] = times[params.dataIndex] ?? [];
    const top = 8 + params.dataIndex * rowHeight;
    const [x = 0] = api.coord([from, 0]);
    const [end = 0] = api.coord([to, 0]);
    const text = phase ? `${phase.title}: ${lasting((to - from) / 1000)} (${printable(phase.stack)})` : "";
    const children = [
      {
        type: "text" as const,
        style: { ...{ text, x: 8, y: top, fill: "var(--ink)" }, font: "12px system-ui, sans-serif" },
      },
      {
        type: "rect" as const,
        // One that took a moment is to be seen, too.
        shape: { x, y: top + 16, width: Math.max(3, end - x), height: 10, r: 2 },
        style: { fill: phase?.stack === own ? "var(--one)" : "var(--two)" },
      },
    ];
    return { type: "group" as const, silent: true, children };
  };
  return draw(width, phases.length * rowHeight + 40, {
    grid: { left: 8, right: 16, top: 4, bottom: 28 },
    xAxis: {
      ...timeAxis(width),
      ...{ min: Math.min(...times.map(([from]) => from)), max: Math.max(...times.map(([, to]) => to)) },
      splitLine: { show: true, ...line },
    },
    yAxis: { type: "value", show: false, min: 0, max: 1 },
    series: [{ type: "custom", clip: false, renderItem, data: times.map(([from]) => [from, 0]) }],
  });
}

function timeAxis(width: number) {
  return {
    type: "time" as const,
    splitNumber: Math.floor(width / 110),
    axisLine: line,
    axisTick: line,
    axisLabel: { ...ink, hideOverlap: true, formatter: { day: "{d} {MMM}", hour: "{HH}:{mm}", minute: "{HH}:{mm}" } },
  };
}

/** `12 M`, `1.5 k` (pure). */
export function short(height: number): string {
  if (height >= 1e6) return `${Math.round(height / 1e5) / 10} M`;
  return height >= 1000 ? `${Math.round(height / 100) / 10} k` : String(height);
}

function draw(width: number, height: number, option: EChartsOption): string {
  // It takes a moment to load: only a report needs it.
  const { init } = require("echarts") as typeof import("echarts");
  const chart = init(null, null, { renderer: "svg", ssr: true, width, height });
  try {
    chart.setOption({ animation: false, useUTC: true, ...option });
    // Its style sheet is about pointers, and would hold for the whole page.
    return chart.renderToSVGString().replace(/<style[\s\S]*?<\/style>/g, "");
  } finally {
    chart.dispose();
  }
}

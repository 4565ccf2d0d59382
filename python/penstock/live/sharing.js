// The setting of a page in its address: whoever opens the link sees the same bench.

/**
 * The setting in the address, or null if there is none that can be meant for this page. `only: "aqm"` shows the drop
 * functions and the parameters alone.
 */
export function sharedSetting(schemes) {
  const text = location.hash.slice(1);
  if (!text) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    return checked(JSON.parse(new TextDecoder().decode(bytes)), schemes);
  } catch {
    return null;
  }
}

function checked({ pace, queues, rate, rtt, counts, only }, schemes) {
  const isNumber = (value) => value === undefined || (Number.isFinite(value) && value > 0);
  const isQueue = (queue) => schemes.includes(queue.scheme) && Object(queue.params) === queue.params;
  const isCount = ([group, count]) => /^\d+$/.test(group) && Number.isInteger(count) && count > 0;
  const fits = [pace, rate, rtt].every(isNumber) && Object.entries(counts).every(isCount);
  return fits && queues.length >= 1 && queues.length <= 4 && queues.every(isQueue) ? { pace, queues, rate, rtt, counts, only } : null;
}

/** Puts a setting into the address. */
export function share(setting) {
  const bytes = new TextEncoder().encode(JSON.stringify(setting));
  const text = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  history.replaceState(null, "", `#${text}`);
}

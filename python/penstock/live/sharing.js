// The setting of a page in its address: whoever opens the link sees the same bench.

/** The setting in the address, or null. */
export function sharedSetting() {
  const text = location.hash.slice(1);
  if (!text) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}

/** Puts a setting into the address. */
export function share(setting) {
  const bytes = new TextEncoder().encode(JSON.stringify(setting));
  const text = btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  history.replaceState(null, "", `#${text}`);
}

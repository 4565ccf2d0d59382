// Light, dark, or as the system has it; the choice is kept for the other pages of the same folder.

const KEY = "penstock-theme";
const NEXT = { auto: "light", light: "dark", dark: "auto" };
const root = document.documentElement;

/** Makes the button with the id "theme" switch between auto, light and dark. `changed` is called after each change. */
export function themeButton(changed = () => {}) {
  const button = document.getElementById("theme");
  const use = (theme) => {
    if (theme === "auto") delete root.dataset.theme;
    else root.dataset.theme = theme;
    button.textContent = `Theme: ${theme}`;
    button.setAttribute("aria-label", `Theme: ${theme}; switch to ${NEXT[theme]}`);
  };
  use(stored());
  button.addEventListener("click", () => {
    const theme = NEXT[root.dataset.theme ?? "auto"];
    use(theme);
    store(theme);
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

/** Paper is light: `before` and `after` are called around printing. */
export function lightPaper(before = () => {}, after = () => {}) {
  let theme;
  addEventListener("beforeprint", () => {
    theme = root.dataset.theme;
    root.dataset.theme = "light";
    before();
  });
  addEventListener("afterprint", () => {
    after();
    if (theme) root.dataset.theme = theme;
    else delete root.dataset.theme;
  });
}

// A browser may refuse storage to a page from disk: then the choice lasts as long as the page.
function stored() {
  try {
    const theme = localStorage.getItem(KEY);
    return theme in NEXT ? theme : "auto";
  } catch {
    return "auto";
  }
}

function store(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // nothing to keep it in
  }
}

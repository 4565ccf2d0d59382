// The claims of a reproduction by their badge.

/** Makes the buttons above the claims hide those of other badges, and experiments without a claim that is shown. */
export function claimFilters() {
  const buttons = [...document.querySelectorAll("button[data-verdict]")];
  for (const button of buttons)
    button.addEventListener("click", () => {
      const { verdict } = button.dataset;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
      const isShown = (claim) => verdict === "" || claim.dataset.verdict === verdict;
      for (const claim of document.querySelectorAll(".claim")) claim.hidden = !isShown(claim);
      for (const experiment of document.querySelectorAll(".experiment"))
        experiment.hidden = verdict !== "" && ![...experiment.querySelectorAll(".claim[data-verdict]")].some(isShown);
    });
}

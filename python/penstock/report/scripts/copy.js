// Buttons that copy the text next to them.

const SHOWN_MS = 1500;

export function copyButtons() {
  for (const button of document.querySelectorAll(".copy"))
    button.addEventListener("click", () => {
      const text = button.parentElement.querySelector("pre");
      getSelection().selectAllChildren(text);
      const copied = () => {
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), SHOWN_MS);
      };
      navigator.clipboard?.writeText(text.textContent).then(copied, () => {});
    });
}

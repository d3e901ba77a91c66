/** Light or dark: as the system has it, until the reader chooses. Runs before the page is drawn, so that nothing flashes. */
(() => {
  const STORED = 'marquee-theme';
  const system = globalThis.matchMedia('(prefers-color-scheme: dark)');
  const root = document.documentElement;

  /** Storage may be closed to the page; then the choice lasts as long as the page does. */
  let chosen = attempt(() => globalThis.localStorage.getItem(STORED));
  function attempt(act) {
    try {
      return act();
    } catch {
      return null;
    }
  }

  const isDark = () => (chosen ? chosen === 'dark' : system.matches);

  function show() {
    root.classList.toggle('dark-mode', isDark());
    const toggle = document.getElementById('theme');
    if (toggle) toggle.textContent = isDark() ? 'Light' : 'Dark';
  }

  show();
  system.addEventListener('change', show);
  document.addEventListener('DOMContentLoaded', () => {
    show();
    document.getElementById('theme').addEventListener('click', () => {
      const wanted = isDark() ? 'light' : 'dark';
      // What the system has is followed again rather than kept.
      chosen = (wanted === 'dark') === system.matches ? null : wanted;
      attempt(() =>
        chosen ? globalThis.localStorage.setItem(STORED, chosen) : globalThis.localStorage.removeItem(STORED),
      );
      show();
    });
  });
})();

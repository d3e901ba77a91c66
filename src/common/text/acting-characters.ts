/** Characters on which a terminal acts, and those that reverse the order of a text. */
const ACTING = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** Whether a text has characters on which a terminal acts. */
export const hasActingCharacters = (text: string): boolean => text.search(ACTING) >= 0;

/** The text with such characters written as `\u001b`. */
export const withoutActingCharacters = (text: string): string =>
  text.replace(ACTING, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);

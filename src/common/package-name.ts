/** The identifier of an app on Android: at least two words that begin with a letter, with a point between them. */
export const PACKAGE_NAME = { pattern: /^[a-z]\w*(\.[a-z]\w*)+$/i, what: 'a package name such as com.example.shop' };

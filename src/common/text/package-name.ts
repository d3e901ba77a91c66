/** The identifier of an Android app: at least two words that begin with a letter, separated by points. */
export const PACKAGE_NAME = { pattern: /^[a-z]\w*(\.[a-z]\w*)+$/i, what: 'a package name such as com.example.shop' };

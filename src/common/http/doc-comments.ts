import type { Type } from '@nestjs/common';

/** A doc comment and the method that follows it, as both compilers leave them in the body of a class. */
const COMMENTED = /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:async\s+)?(\w+)\s*\(/g;

/**
 * The doc comments of a class's methods, by method name, read from the text that the class runs from: what is written above
 * a handler is also what its readers outside get to see, and needs no second place to stand.
 */
export function docCommentsOf(controller: Type): Map<string, string> {
  const comments = new Map<string, string>();
  for (const [, comment, method] of Function.prototype.toString.call(controller).matchAll(COMMENTED))
    comments.set(method, textOf(comment));
  return comments;
}

const textOf = (comment: string) =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*?\s?/, '').trim())
    .join(' ')
    .trim();

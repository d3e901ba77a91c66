import type { OpenAPIObject } from '@nestjs/swagger';
import type { EndpointHandler } from './handlers.js';
import type { Operation } from './operation.js';
import type { DocumentSchema } from './schemas.js';

/** The doc comments of the sources, by class and member; scripts/doc-comments.mjs reads them. */
export interface DocComments {
  ofClass(name: string): string | undefined;
  ofMember(className: string, member: string): string | undefined;
}

/** Describes an operation by the comment above its handler, and by who may call it. */
export function describeOperation(
  operation: Operation,
  { controller, name, rules }: EndpointHandler,
  comments: DocComments,
) {
  const comment = comments.ofMember(controller.name, name) ?? '';
  const cut = /(?<=[^.]\.)\s/.exec(comment)?.index ?? comment.length;
  const [summary, rest] = [comment.slice(0, cut), comment.slice(cut).trim()];
  operation.summary ||= summary.replace(/\.$/, '');
  const permission = operation['x-reads'] ? rules.reads : (rules.writes ?? rules.reads);
  const paragraphs = [
    rest,
    permission && `Requires one of the roles ${permission.roles.join(', ')} on the account.`,
    rules.sandboxOnly && 'Sandbox only; elsewhere the response is 404 `ROUTE_NOT_FOUND`.',
  ].filter(Boolean);
  operation.description ||= paragraphs.join('\n\n') || summary;
  delete operation['x-reads'];
}

/** Describes the fields of all schemas by the comments above them, followed by the format of their values. */
export function describeFields({ components }: OpenAPIObject, comments: DocComments): void {
  for (const [name, schema] of Object.entries((components?.schemas ?? {}) as Record<string, DocumentSchema>)) {
    schema.description ??= ofModel(comments.ofClass(name));
    if (!schema.description) delete schema.description;
    for (const [field, own] of Object.entries(schema.properties ?? {})) {
      own.description = described(comments.ofMember(name, field), own.description);
      describeDefault(own);
    }
  }
}

/** In words: generators treat a field with a default as always present, in requests too. */
export function describeDefault(field: DocumentSchema): void {
  if (field.default === undefined) return;
  field.description = described(
    field.description,
    `Defaults to \`${JSON.stringify(field.default).replaceAll('"', '')}\`.`,
  );
  delete field.default;
}

/** The description of a parameter, followed by its format. */
export const described = (description: string | undefined, detail: string | undefined) =>
  [description, detail].filter(Boolean).join(' ') || undefined;

/** Drops a class comment's reference to the specification, which is for readers of the source. */
function ofModel(comment: string | undefined): string | undefined {
  const text = comment?.replace(/^Part \d, [\d. ()]*\d\)?(, sandbox only)?[:.]\s*/, '');
  return text && text[0].toUpperCase() + text.slice(1);
}

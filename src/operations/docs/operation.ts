import type { OpenAPIObject, OperationObject } from '@nestjs/swagger';

/** An operation of the document, with this service's extensions. */
export type Operation = OperationObject & { 'x-sandbox-only'?: boolean; 'x-reads'?: boolean };

export const METHODS = ['get', 'post', 'put', 'delete'] as const;

/** Every operation of a document with its path and method. */
export const operationsOf = ({ paths }: Pick<OpenAPIObject, 'paths'>) =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation: Operation | undefined = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );

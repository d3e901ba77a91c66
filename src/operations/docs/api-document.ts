import { Injectable, type INestApplication } from '@nestjs/common';
import { buildDocument } from './document.js';

/** The OpenAPI document as text, built when somebody asks for it first: most processes serve without ever being asked. */
@Injectable()
export class ApiDocument {
  private app?: INestApplication;
  private text?: string;

  /** The application cannot be injected into itself; it introduces itself once it is made. */
  describe(app: INestApplication): void {
    this.app = app;
  }

  asText(): string {
    if (!this.app) throw new Error('there is no application to describe yet');
    return (this.text ??= JSON.stringify(buildDocument(this.app)));
  }
}

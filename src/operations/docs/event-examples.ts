import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { TrialEventsService } from '../../webhooks/deliveries/trial-events.service.js';
import { ApiDocument } from './api-document.js';
import { eventExamplesOf } from './events.js';

/** Has test events for webhooks use the examples of the API reference. */
@Injectable()
export class EventExamples implements OnModuleInit {
  constructor(
    private readonly document: ApiDocument,
    private readonly trials: TrialEventsService,
  ) {}

  onModuleInit(): void {
    this.trials.register(async () =>
      eventExamplesOf(JSON.parse(await this.document.asText('marquee')) as OpenAPIObject),
    );
  }
}

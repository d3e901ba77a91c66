import { Module } from '@nestjs/common';
import { AuthModule } from '../auth/auth.module.js';
import { DemoCallbackController } from './demo-callback.controller.js';
import { DemoReceiver } from './demo-webhooks.js';
import { DemoWebhookController } from './demo-webhook.controller.js';

/** The routes of the demo. They return 404 in production mode. */
@Module({
  imports: [AuthModule],
  controllers: [DemoCallbackController, DemoWebhookController],
  providers: [DemoReceiver],
})
export class DemoModule {}

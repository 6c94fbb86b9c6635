from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("rentals", "0005_guard_after_the_hand_back")]
    operations = [migrations.RemoveField(model_name="quote", name="token_hash")]

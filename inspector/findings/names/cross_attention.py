"""A decoder that attends to no encoder."""

from __future__ import annotations

from inspector.findings.finding import ContentFinding


class CrossAttentionMissing(ContentFinding, frozen=True, kw_only=True):
    """The decoder was stored without cross-attention, which the class needs.

    What it means
        The class has an encoder and a decoder, and the decoder reads the encoder's output through cross-attention.
        Nothing of it is stored, and nothing else is missing: encoder and decoder are those of two models that were
        trained apart, and no file of either has these tensors.

    Why it matters
        Loaders initialize the cross-attention randomly, and the output does not depend on the input of the encoder in
        any useful way. Switching it off in the config is no remedy: the decoder then refuses the encoder's output.

    Example
        error[N477] cross-attention-missing: 20 tensors of the decoder
          within   decoder.bert.encoder.layer.{layer}
          missing  20 tensors, 42,336 parameters
          config   decoder.add_cross_attention = true
          help     train the model: its cross-attention is random until then; or
                   download the weights of the trained model

    What to do
        Train the model that the two parts were joined to, or take the weights that were saved after such a training.
    """

    code = "N477"

    tensors: int
    parameters: int
    key: str

    headline_text = "{tensors:count tensor} of the decoder"
    row_texts = (
        ("within", "{place.family}"),
        ("missing", "{tensors:count tensor}, {parameters} parameters"),
        ("config", "{key} = true"),
    )
    remedy_text = (
        "train the model: its cross-attention is random until then; or download the weights of the trained model"
    )

//! Quality of a telephone call: the E-model, ITU-T Recommendation G.107 (06/2015), with its default values (table 2) for
//! all but the delay and the codec under loss: R from 0 to 100, and the mean opinion score that follows from it.
//!
//! The mean one-way delay T, the absolute delay Ta and half of the round trip Tr are the same delay, from mouth to ear.

use penstock_core::math;

/// A codec: its impairment without loss, and its robustness to lost packets. ITU-T G.113 (11/2007), appendix I, tables
/// I.1 and I.4.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Codec {
    /// Equipment impairment factor Ie.
    pub ie: f64,
    /// Packet-loss robustness factor Bpl.
    pub bpl: f64,
}

/// G.711 with packet-loss concealment (its appendix I).
pub const G711: Codec = Codec { ie: 0.0, bpl: 25.1 };
/// G.711 without concealment.
pub const G711_PLAIN: Codec = Codec { ie: 0.0, bpl: 4.3 };
/// G.729A with voice activity detection.
pub const G729A: Codec = Codec { ie: 11.0, bpl: 19.0 };

// Table 2 of G.107: default values.
const SLR: f64 = 8.0;
const RLR: f64 = 2.0;
const STMR: f64 = 15.0;
const LSTR: f64 = 18.0;
const DS: f64 = 3.0;
const TELR: f64 = 65.0;
const WEPL: f64 = 110.0;
const QDU: f64 = 1.0;
const NC: f64 = -70.0;
const NFOR: f64 = -64.0;
const PS: f64 = 35.0;
const PR: f64 = 35.0;
const ADVANTAGE: f64 = 0.0;
/// Overall loudness rating.
const OLR: f64 = SLR + RLR;

/// The transmission rating R, equation 7-1; `delay` in seconds, `loss` the share of packets that the decoder lacks, lost
/// at random (BurstR = 1).
pub fn rating(delay: f64, loss: f64, codec: Codec) -> f64 {
    let no = noise();
    // 7-2
    let ro = 15.0 - 1.5 * (SLR + no);
    let t = delay * 1e3;
    ro - simultaneous(ro, no, t) - delayed(ro, no, t) - effective(loss * 100.0, codec) + ADVANTAGE
}

/// The mean opinion score of a rating, from 1 to 4.5: annex B, equation B-4.
pub fn mos(r: f64) -> f64 {
    if r <= 0.0 {
        1.0
    } else if r >= 100.0 {
        4.5
    } else {
        (1.0 + 0.035 * r + r * (r - 60.0) * (100.0 - r) * 7e-6).max(1.0)
    }
}

/// No, the sum of all noise powers in dBm0p: equations 7-3 to 7-7.
fn noise() -> f64 {
    let nos = PS - SLR - DS - 100.0 + 0.004 * math::pow(PS - OLR - DS - 14.0, 2.0);
    let pre = PR + 10.0 * log10(1.0 + math::pow(10.0, (10.0 - LSTR) / 10.0));
    let nor = RLR - 121.0 + pre + 0.008 * math::pow(pre - 35.0, 2.0);
    let nfo = NFOR + RLR;
    10.0 * log10([NC, nos, nor, nfo].iter().map(|level| math::pow(10.0, level / 10.0)).sum())
}

/// Is, impairments simultaneous with speech: equations 7-8 to 7-17.
fn simultaneous(ro: f64, no: f64, t: f64) -> f64 {
    let x = OLR + 0.2 * (64.0 + no - RLR);
    let too_loud = 20.0 * (math::pow(1.0 + math::pow(x / 8.0, 8.0), 1.0 / 8.0) - x / 8.0);
    too_loud + sidetone(t) + quantizing(ro)
}

/// Iq, of quantizing distortion: equations 7-13 to 7-17.
fn quantizing(ro: f64) -> f64 {
    let q = 37.0 - 15.0 * log10(QDU);
    let g = 1.07 + 0.258 * q + 0.0602 * q * q;
    let y = (ro - 100.0) / 15.0 + 46.0 / 8.4 - g / 9.0;
    let z = 46.0 / 30.0 - g / 40.0;
    15.0 * log10(1.0 + math::pow(10.0, y) + math::pow(10.0, z))
}

/// Ist, of the sidetone: equations 7-11 and 7-12.
fn sidetone(t: f64) -> f64 {
    let echo = math::exp(-t / 4.0) * math::pow(10.0, -TELR / 10.0);
    let stmro = -10.0 * log10(math::pow(10.0, -STMR / 10.0) + echo);
    let term = |x: f64, power: f64| math::pow(1.0 + math::pow(x, power), 1.0 / power);
    12.0 * term((stmro - 13.0) / 6.0, 8.0)
        - 28.0 * term((stmro + 1.0) / 19.4, 35.0)
        - 13.0 * term((stmro - 3.0) / 33.0, 13.0)
        + 29.0
}

/// Id, impairments by delay: talker echo, listener echo, absolute delay. Equations 7-18 to 7-28.
fn delayed(ro: f64, no: f64, t: f64) -> f64 {
    // 7-19 to 7-22; STMR is between 9 and 20 dB, so that sidetone neither masks the echo nor adds to it.
    let terv = TELR - 40.0 * log10((1.0 + t / 10.0) / (1.0 + t / 150.0)) + 6.0 * math::exp(-0.3 * t * t);
    let difference = -1.5 * (no - RLR) - (80.0 + 2.5 * (terv - 14.0));
    let talker = (difference / 2.0 + math::sqrt(difference * difference / 4.0 + 100.0) - 1.0) * (1.0 - math::exp(-t));
    // 7-25 and 7-26
    let rle = 10.5 * (WEPL + 7.0) * math::pow(2.0 * t + 1.0, -0.25);
    let listener = (ro - rle) / 2.0 + math::sqrt((ro - rle) * (ro - rle) / 4.0 + 169.0);
    talker + listener + absolute(t)
}

/// Idd, of the absolute delay: equations 7-27 and 7-28.
fn absolute(t: f64) -> f64 {
    if t <= 100.0 {
        return 0.0;
    }
    let x = math::ln(t / 100.0) / core::f64::consts::LN_2;
    let sixth = |x: f64| math::pow(1.0 + math::pow(x, 6.0), 1.0 / 6.0);
    25.0 * (sixth(x) - 3.0 * sixth(x / 3.0) + 2.0)
}

/// Ie,eff, of the codec under `loss` in percent: equation 7-29.
fn effective(loss: f64, Codec { ie, bpl }: Codec) -> f64 {
    ie + (95.0 - ie) * loss / (loss + bpl)
}

fn log10(x: f64) -> f64 {
    math::ln(x) / core::f64::consts::LN_10
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64, within: f64) {
        assert!((found - expected).abs() <= within, "{found}, {expected} expected");
    }

    /// G.107, clause 7.1: all parameters at their defaults give R = 93.2; by annex B this is a score of 4.41.
    #[test]
    fn defaults_have_the_printed_rating_and_score() {
        near(rating(0.0, 0.0, G711), 93.2, 0.05);
        near(mos(93.2), 4.41, 0.005);
    }

    /// Annex B, table B.1: lower limits of R, and the scores. For R = 80 the table prints 4.03, while B-4 gives 4.024.
    #[test]
    fn scores_are_those_of_the_table() {
        for (r, score) in [(90.0, 4.34), (80.0, 4.03), (70.0, 3.60), (60.0, 3.10), (50.0, 2.58)] {
            near(mos(r), score, 0.0061);
        }
        assert_eq!((mos(-3.0), mos(0.0), mos(100.0), mos(120.0)), (1.0, 1.0, 4.5, 4.5));
        // The polynomial is below 1 for small R.
        assert_eq!(mos(3.0), 1.0);
    }

    /// R. Cole, J. Rosenbluth, "Voice over IP performance monitoring", CCR 31(2), 2001, equation 5: the impairment of the
    /// delay d in ms is 0.024 d + 0.11 (d - 177.3) H(d - 177.3), two lines fitted to the E-model.
    #[test]
    fn delay_impairs_as_in_a_published_fit() {
        for d in [50.0, 100.0, 150.0, 200.0, 250.0, 300.0_f64] {
            let fit = 0.024 * d + 0.11 * (d - 177.3).max(0.0);
            near(rating(0.0, 0.0, G711) - rating(d / 1e3, 0.0, G711), fit, 0.3);
        }
    }

    /// Ie,eff of 2 % and 5 % loss: 95 * 2 / 27.1 and 95 * 5 / 30.1; 11 + 84 * 2 / 21.
    #[test]
    fn loss_impairs_by_the_codec() {
        let perfect = rating(0.0, 0.0, G711);
        near(perfect - rating(0.0, 0.02, G711), 7.011, 0.001);
        near(perfect - rating(0.0, 0.05, G711), 15.781, 0.001);
        near(perfect - rating(0.0, 0.05, G711_PLAIN), 51.075, 0.001);
        near(perfect - rating(0.0, 0.02, G729A), 19.0, 0.001);
    }

    #[test]
    fn more_delay_or_loss_is_never_better() {
        let ratings = (0..100).map(|i| f64::from(i) * 0.01).map(|delay| rating(delay, 0.0, G711));
        assert!(ratings.is_sorted_by(|a, b| a >= b));
        assert!((0..100).map(|i| rating(0.1, f64::from(i) * 0.01, G729A)).is_sorted_by(|a, b| a >= b));
    }
}
